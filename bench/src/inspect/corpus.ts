import type { CompleteBlobStore } from "llm-worker-persistence";

/** A part of a blob that is asked for, and what the answer has to be. */
export interface Place {
  /** As the model would write it. */
  readonly selector: string;
  /** Where the bytes lie that the answer shows. */
  readonly start: number;
  readonly end: number;
  /** What the answer shows. */
  readonly answer: string;
  /** Of lines and elements: the first that is asked for, from 0, and how many. */
  readonly first: number;
  readonly count: number;
}

/** A store, and where it keeps its payloads: a directory or a prefix. */
export interface Shelf {
  readonly store: CompleteBlobStore;
  readonly place: string;
}

/** A blob, and places in it. */
export interface StoredBlob {
  readonly id: string;
  /** File or key of its payload. */
  readonly path: string;
  readonly byteCount: number;
  /** The last is that near the end of the blob. */
  readonly places: readonly Place[];
}

/** Places of one kind in a blob. */
const PLACE_COUNT = 32;
const PIECE_CHARACTERS = 262_144;
const LINES_ASKED = 30;
const LINES_BEFORE_END = 100;
const ELEMENTS_ASKED = 6;

/** The word that one line of the log has. */
export const RARE_WORD = "quicksilver";

/** Stores a log of about so many bytes; asked for are 30 lines here and there. */
export async function storeLog(shelf: Shelf, byteCount: number): Promise<StoredBlob> {
  const sink = await openSink(shelf);
  const recent: string[] = [];
  const places: Place[] = [];
  const rareLine = Math.floor(byteCount / AVERAGE_LINE_BYTES / 2);
  let line = 0;
  const note = (): void => {
    const count = Math.min(LINES_ASKED, recent.length);
    const first = line - recent.length;
    const start = sink.byteCount - recent.join("").length;
    const answer = recent.slice(0, count).join("");
    const end = start + answer.length;
    const selector = `lines:${first + 1}-${first + count}`;
    places.push({ selector, start, end, answer, first, count });
  };
  let wanted = byteCount / PLACE_COUNT;
  while (sink.byteCount < byteCount) {
    const text = logLine(line, line === rareLine ? RARE_WORD : "-");
    recent.push(text);
    if (recent.length > LINES_BEFORE_END) recent.shift();
    line += 1;
    await sink.write(text);
    if (sink.byteCount < wanted) continue;
    wanted += byteCount / PLACE_COUNT;
    note();
  }
  note();
  return sink.commit(places);
}

/** Stores an array of about so many bytes; asked for are six elements here and there. */
export async function storeArray(shelf: Shelf, byteCount: number): Promise<StoredBlob> {
  const sink = await openSink(shelf);
  await sink.write("[");
  const places = await writeElements(sink, byteCount);
  await sink.write("]");
  return sink.commit(places);
}

/** An object: an array of half its size, as many small members, and a last one. */
export interface StoredObject {
  readonly lastKey: StoredBlob;
  readonly anyKey: StoredBlob;
  /** A member of an element of the array. */
  readonly nested: StoredBlob;
}

/** Stores an object of about so many bytes. */
export async function storeObject(shelf: Shelf, byteCount: number): Promise<StoredObject> {
  const sink = await openSink(shelf);
  await sink.write('{"records":[');
  const elements = await writeElements(sink, byteCount / 2);
  await sink.write("]");
  const members: Place[] = [];
  let wanted = sink.byteCount;
  for (let n = 0; sink.byteCount < byteCount; n += 1) {
    const key = `item ${n}`;
    await sink.write(`,${JSON.stringify(key)}:`);
    const start = sink.byteCount;
    const answer = element(n);
    await sink.write(answer);
    if (start < wanted) continue;
    wanted += byteCount / 2 / PLACE_COUNT;
    members.push(memberPlace(key, answer, start));
  }
  const last = '{"status":"done","failed":0}';
  await sink.write(',"last":');
  const lastPlace = memberPlace("last", last, sink.byteCount);
  await sink.write(`${last}}`);
  const blob = await sink.commit([lastPlace]);
  return {
    lastKey: blob,
    anyKey: { ...blob, places: members },
    nested: { ...blob, places: elements.map(toNested) },
  };
}

function memberPlace(key: string, answer: string, start: number): Place {
  const end = start + answer.length;
  return { selector: `key:${key}`, start, end, answer, first: 0, count: 1 };
}

/** From six elements of the array to the text in the first. */
function toNested({ start, first, answer }: Place): Place {
  const [value] = JSON.parse(answer) as readonly { readonly text: string }[];
  const text = value?.text ?? "";
  const at = start + answer.indexOf(text) - 1;
  const selector = `key:records | slice:${first}..${first + 1} | key:text`;
  return { selector, start: at, end: at + text.length, answer: text, first, count: 1 };
}

async function writeElements(sink: Sink, byteCount: number): Promise<Place[]> {
  const places: Place[] = [];
  const end = sink.byteCount + byteCount;
  let wanted = sink.byteCount + byteCount / PLACE_COUNT;
  let n = 0;
  for (; sink.byteCount < end; n += 1) {
    if (n > 0) await sink.write(",");
    if (sink.byteCount >= wanted) {
      wanted += byteCount / PLACE_COUNT;
      places.push(elementsPlace(n, sink.byteCount));
    }
    await sink.write(element(n));
  }
  // Enough for those that the last place asks for.
  for (const last = n + ELEMENTS_ASKED; n < last; n += 1) await sink.write(`,${element(n)}`);
  return places;
}

function elementsPlace(first: number, start: number): Place {
  const elements = Array.from({ length: ELEMENTS_ASKED }, (_, i) => element(first + i)).join(",");
  return {
    selector: `slice:${first}..${first + ELEMENTS_ASKED}`,
    start,
    end: start + elements.length,
    answer: `[${elements}]`,
    first,
    count: ELEMENTS_ASKED,
  };
}

const AVERAGE_LINE_BYTES = 95;
const FILLER = "accepted by the queue, waiting for a worker, done without a warning";

function logLine(n: number, word: string): string {
  const second = String(n % 60).padStart(2, "0");
  const filler = FILLER.slice(0, 20 + ((n * 7919) % 47));
  return `2026-03-01T09:30:${second}Z INFO request ${n} took ${n % 977} ms ${word} ${filler}\n`;
}

function element(n: number): string {
  const tags = `["t${n % 17}","t${n % 23}"]`;
  const text = FILLER.repeat(2).slice(0, 30 + ((n * 7919) % 101));
  return `{"id":${n},"name":"record ${n}","tags":${tags},"score":${n % 1000},"text":"${text}"}`;
}

interface Sink {
  /** Of what has been written so far; all of it is ASCII. */
  readonly byteCount: number;
  write(text: string): Promise<void>;
  commit(places: readonly Place[]): Promise<StoredBlob>;
}

async function openSink({ store, place }: Shelf): Promise<Sink> {
  const writer = await store.openWriter();
  let pending = "";
  let written = 0;
  const flush = async (): Promise<void> => {
    written += pending.length;
    const piece = Buffer.from(pending, "latin1");
    pending = "";
    await writer.write(piece);
  };
  return {
    get byteCount() {
      return written + pending.length;
    },
    async write(text) {
      pending += text;
      if (pending.length >= PIECE_CHARACTERS) await flush();
    },
    async commit(places) {
      await flush();
      const { id, stat } = await writer.commit();
      const extension = stat.kind === "text" ? ".txt" : ".json";
      const path = `${place}/${id}${extension}`;
      return { id, path, byteCount: stat.byteCount, places };
    },
  };
}
