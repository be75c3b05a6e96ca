import { ConcurrencyLimit } from "../concurrency-limit.js";
import { sessionNotFound } from "../session/session-error.js";
import type { S3ObjectPart } from "./read-range.js";
import { appendMissing, neverAtRest } from "./s3-session-error.js";
import type { S3Objects } from "./s3-objects.js";
import type { SessionKeys } from "./session-keys.js";
import { type LogView, MAX_LOOKS, viewLog } from "./session-log-view.js";
import { PIECE_BYTES, verifyPart } from "./session-objects.js";

/** So many objects of a log are fetched at a time, and so many bytes ahead of its reader. */
const MAX_FETCHES = 16;
const MAX_BYTES_AHEAD = 16 * 1024 * 1024;

/** One request, and where in the log its bytes are. */
export interface LogFetch {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly objectBytes: number;
  /** Place of the append; absent for a piece of merged ones. */
  readonly place?: number | undefined;
  /** Where its lines are in the lines of the log; what is in the object behind them does not count. */
  readonly linesStart: number;
  readonly linesEnd: number;
}

/** The requests that give the objects of a log, in order. */
export function logFetches({ merged, appends }: LogView): readonly LogFetch[] {
  const fetches: LogFetch[] = [];
  if (merged) {
    const { key, byteCount: objectBytes, lineBytes } = merged;
    for (let start = 0; start < objectBytes; start += PIECE_BYTES) {
      const end = Math.min(objectBytes, start + PIECE_BYTES);
      const lines = { linesStart: Math.min(start, lineBytes), linesEnd: Math.min(end, lineBytes) };
      fetches.push({ key, start, end, objectBytes, ...lines });
    }
  }
  let at = merged?.lineBytes ?? 0;
  for (const { key, byteCount: end, place } of appends) {
    const lines = { linesStart: at, linesEnd: at + end };
    fetches.push({ key, start: 0, end, objectBytes: end, place, ...lines });
    at += end;
  }
  return fetches;
}

/** Reads the objects of logs, several at a time. */
export class SessionLogReader {
  readonly #objects: S3Objects;
  readonly #keys: SessionKeys;
  readonly #limit = new ConcurrencyLimit(MAX_FETCHES);

  constructor(objects: S3Objects, keys: SessionKeys) {
    this.#objects = objects;
    this.#keys = keys;
  }

  /**
   * The lines of a log as it was seen, whatever is merged meanwhile.
   *
   * @throws SessionError `not_found` if it is deleted meanwhile, `corrupt` behind the last append
   * before a gap
   */
  async *lines(id: string, view: LogView): AsyncGenerator<Uint8Array, void, undefined> {
    const until = view.byteCount;
    let at = 0;
    let looks = 0;
    for (let current = view; at < until;) {
      const before = at;
      const wanted = logFetches(current).filter(
        ({ linesStart, linesEnd }) => linesEnd > at && linesStart < Math.min(until, linesEnd),
      );
      for await (const [fetch, part] of this.fetch(wanted)) {
        if (part === undefined) break;
        const from = at - fetch.linesStart;
        const to = Math.min(fetch.linesEnd, until) - fetch.linesStart;
        at = fetch.linesStart + to;
        yield part.bytes.subarray(from, to);
      }
      if (at >= until) break;
      // What is no longer there was merged: then it is found where the merged ones are.
      looks = at > before ? 0 : looks + 1;
      if (looks > MAX_LOOKS) throw neverAtRest(id);
      const next = await viewLog(this.#objects, this.#keys, id);
      if (next === undefined) throw sessionNotFound(id);
      if (next.byteCount < until) {
        throw next.hasHole ? appendMissing(id, next.position) : sessionNotFound(id);
      }
      current = next;
    }
    if (view.hasHole) throw appendMissing(id, view.position);
  }

  /**
   * The verified answers, in order; `undefined` for an object that is not there.
   *
   * @throws S3Failure; S3IntegrityFailure
   */
  async *fetch(
    fetches: readonly LogFetch[],
  ): AsyncGenerator<readonly [LogFetch, S3ObjectPart | undefined], void, undefined> {
    const ahead: {
      readonly fetch: LogFetch;
      readonly answer: Promise<S3ObjectPart | undefined>;
    }[] = [];
    let bytesAhead = 0;
    let next = 0;
    for (;;) {
      for (let fetch = fetches[next]; fetch !== undefined; fetch = fetches[next]) {
        const size = fetch.end - fetch.start;
        const isEnough = ahead.length >= MAX_FETCHES || bytesAhead + size > MAX_BYTES_AHEAD;
        if (ahead.length > 0 && isEnough) break;
        const answer = this.#fetchOne(fetch);
        // Its reader may have left before it comes.
        answer.catch(() => undefined);
        ahead.push({ fetch, answer });
        bytesAhead += size;
        next += 1;
      }
      const first = ahead.shift();
      if (first === undefined) return;
      yield [first.fetch, await first.answer];
      bytesAhead -= first.fetch.end - first.fetch.start;
    }
  }

  #fetchOne({ key, start, end, objectBytes }: LogFetch): Promise<S3ObjectPart | undefined> {
    return this.#limit.run(async () => {
      const part = await this.#objects.getIfPresent(key, start, end);
      if (part) verifyPart(part, objectBytes);
      return part;
    });
  }
}
