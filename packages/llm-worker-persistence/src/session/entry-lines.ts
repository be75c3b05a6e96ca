import { type SessionEntry, SESSION_LOG_VERSION } from "./session-entry.js";
import { SessionError } from "./session-error.js";

const LINE_FEED = 0x0a;

/** Lines of a log, ready to be appended. */
export function encodeEntries(entries: readonly SessionEntry[]): Uint8Array {
  return Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
}

/**
 * The entries of a log, in order. Lines of blanks are passed over: a store may fill with them.
 *
 * @param chunks whole lines, cut anywhere
 * @throws SessionError `corrupt` or `unsupported_version`, with the number of the line
 */
export async function* decodeEntries(
  sessionId: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<DecodedEntry, void, undefined> {
  let lineNumber = 0;
  let seq = 0;
  for await (const line of linesOf(chunks)) {
    lineNumber += 1;
    const text = line.toString();
    if (text.trim() === "") continue;
    const place = { sessionId, lineNumber, seq };
    yield { entry: decodeEntry(text, place), place };
    seq += 1;
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end; (end = bytes.indexOf(LINE_FEED, start)) >= 0; start = end + 1) {
      const rest = bytes.subarray(start, end);
      yield begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      begun = [];
    }
    // A copy: the store may use its chunk again.
    if (start < bytes.length) begun.push(Buffer.from(bytes.subarray(start)));
  }
  if (begun.length > 0) yield Buffer.concat(begun);
}

/** Where an entry is. */
export interface Place {
  readonly sessionId: string;
  /** From 1. */
  readonly lineNumber: number;
  readonly seq: number;
}

/** An entry that was read. */
export interface DecodedEntry {
  readonly entry: SessionEntry;
  readonly place: Place;
}

function decodeEntry(text: string, place: Place): SessionEntry {
  const entry = parseLine(text, place);
  if (!isRecord(entry) || typeof entry["type"] !== "string") throw corrupt(place, "it is no entry");
  const { v, type, seq } = entry;
  if (v !== SESSION_LOG_VERSION) {
    throw unsupported(place, `is of version ${String(v).slice(0, 20)}`);
  }
  const fields = REQUIRED_FIELDS.get(type);
  if (fields === undefined) throw unsupported(place, "has a type that is not known here");
  if (seq !== place.seq) throw corrupt(place, `entry ${place.seq} was expected`);
  if (fields.some((name) => !hasField(entry, name))) throw corrupt(place, "fields are missing");
  if ((place.seq === 0) !== (type === "session_start")) {
    throw corrupt(place, "a log begins with session_start, once");
  }
  // Version, type and the fields that are walked through were checked; the rest is ours.
  return entry as unknown as SessionEntry;
}

function parseLine(text: string, place: Place): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw corrupt(place, "it is not JSON");
  }
}

/** By type: fields that an entry cannot be applied without. `a|b`: one of them. */
const REQUIRED_FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map<
  SessionEntry["type"],
  readonly string[]
>([
  ["session_start", ["snapshot"]],
  ["user_input", ["items"]],
  ["assistant_items", ["items"]],
  ["tool_results", ["results|items"]],
  ["turn_end", []],
  ["cache_locked", ["lockedItemCount"]],
  ["pruned", ["edits"]],
  ["run_outcome", ["status"]],
  ["config_changed", ["changed"]],
]);

function hasField(entry: Readonly<Record<string, unknown>>, names: string): boolean {
  return names.split("|").some((name) => {
    const value = entry[name];
    switch (name) {
      case "items":
      case "results":
      case "edits":
        return Array.isArray(value);
      case "snapshot":
        return isRecord(value) && Array.isArray(value["items"]);
      case "changed":
        return isRecord(value);
      default:
        return value !== undefined;
    }
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The error for a line that is not what was written there. */
export function corrupt({ sessionId, lineNumber, seq }: Place, found: string): SessionError {
  const next = seq > 0 ? `, or go on before it with Session.fork and at: ${seq}` : "";
  return new SessionError(
    "corrupt",
    `session ${sessionId} is damaged at line ${lineNumber} (${found}): restore the log from a backup${next}`,
    { sessionId, lineNumber },
  );
}

function unsupported({ sessionId, lineNumber }: Place, what: string): SessionError {
  return new SessionError(
    "unsupported_version",
    `line ${lineNumber} of session ${sessionId} ${what}, this reads version ${SESSION_LOG_VERSION}: ` +
      "use the version of llm-worker-persistence that wrote it, or a later one",
    { sessionId, lineNumber },
  );
}
