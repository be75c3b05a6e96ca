import { createSessionId, isSessionId } from "../session/session-id.js";

/** So many digits have the places in a log, so that keys sort as the places do. */
const PLACE_DIGITS = 12;
const APPEND = ".jsonl";
const MERGED = ".merged";
const KEY = new RegExp(`^([^/]+)/log/(\\d{${PLACE_DIGITS}})(\\.jsonl|\\.merged)$`);

/** What the key of a part of a log says. */
export interface LogKey {
  readonly sessionId: string;
  readonly type: "append" | "merged";
  /** Place of the append, from 0, or of the last one that was merged. */
  readonly place: number;
}

/**
 * The keys of sessions under a prefix: `sessions/{id}/log/{place}.jsonl` for each append,
 * `{place}.merged` for all up to that one, `traces/{id}/{time}.jsonl` for pieces of the trace.
 */
export class SessionKeys {
  /** What the keys of all logs begin with. */
  readonly prefix: string;
  /** An object that has to be there before the server is trusted with a log. */
  readonly probe: string;
  readonly #traces: string;

  constructor(keyPrefix: string) {
    this.prefix = `${keyPrefix}sessions/`;
    this.probe = `${this.prefix}.conditional-writes`;
    this.#traces = `${keyPrefix}traces/`;
  }

  /** What the keys of one log begin with. */
  log(id: string): string {
    return `${this.prefix}${id}/log/`;
  }

  append(id: string, place: number): string {
    return this.from(id, place) + APPEND;
  }

  merged(id: string, place: number): string {
    return this.from(id, place) + MERGED;
  }

  /** Is before the keys of this place and those behind it, and after all others. */
  from(id: string, place: number): string {
    return this.log(id) + String(place).padStart(PLACE_DIGITS, "0");
  }

  traces(id: string): string {
    return `${this.#traces}${id}/`;
  }

  /** The key of a new piece of a trace: behind those that are there. */
  newTrace(id: string): string {
    return this.traces(id) + createSessionId() + APPEND;
  }

  /** What a key says; `undefined` if it is not that of a part of a log. */
  parse(key: string): LogKey | undefined {
    if (!key.startsWith(this.prefix)) return undefined;
    const [, sessionId, place, extension] = KEY.exec(key.slice(this.prefix.length)) ?? [];
    if (!isSessionId(sessionId)) return undefined;
    return { sessionId, type: extension === APPEND ? "append" : "merged", place: Number(place) };
  }
}
