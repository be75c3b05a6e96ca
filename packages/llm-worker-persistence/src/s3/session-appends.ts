import { createHash } from "node:crypto";
import { sessionConflict, sessionNotFound } from "../session/session-error.js";
import { keepsToConditions } from "./conditional-writes.js";
import { mayHaveLeftSomething, type S3Objects } from "./s3-objects.js";
import { deletedInPart, neverAtRest, noConditionalWrites } from "./s3-session-error.js";
import type { SessionKeys } from "./session-keys.js";
import { MAX_LOOKS } from "./session-log-view.js";
import { appendObject, createNonce, NONCE_BYTES, nonceOf } from "./session-objects.js";

/** Of more logs than this nothing is remembered. */
const MAX_KNOWN_ENDS = 1_000;

/** An append of which it is not known whether it has reached the log. */
interface UnconfirmedAppend {
  readonly position: number;
  readonly nonce: Uint8Array;
  readonly byteCount: number;
  readonly digest: string;
}

/** Where a log ends, as far as a store knows. */
export interface KnownEnd {
  readonly position: number;
  /** How many appends have objects of their own. */
  readonly looseCount: number;
}

/** The objects of a log around one place. */
interface Surroundings {
  /** Key of the merged appends that include the place. */
  readonly mergedKey: string | undefined;
  readonly hasPredecessor: boolean;
  /** Whether an append is there or behind it. */
  readonly isTaken: boolean;
}

/**
 * Appends to logs. An append is one conditional PUT, and a look afterwards: a place whose object was
 * merged and removed is free again for whoever still takes it for the end.
 */
export class SessionAppends {
  readonly #objects: S3Objects;
  readonly #keys: SessionKeys;
  /** Who appends to a known end needs no look before. The log that was used last is the last. */
  readonly #ends = new Map<string, KnownEnd>();
  readonly #unconfirmed = new Map<string, UnconfirmedAppend>();
  #keepsToConditions: Promise<boolean> | undefined;

  constructor(objects: S3Objects, keys: SessionKeys) {
    this.#objects = objects;
    this.#keys = keys;
  }

  /** Learns where a log ends. */
  know(id: string, end: KnownEnd): void {
    this.#ends.delete(id);
    this.#ends.set(id, end);
    const [oldest] = this.#ends.keys();
    if (oldest !== undefined && this.#ends.size > MAX_KNOWN_ENDS) this.#ends.delete(oldest);
  }

  /** What this store knows of the end of a log that it has read or appended to. */
  known(id: string): KnownEnd | undefined {
    return this.#ends.get(id);
  }

  /** Forgets a log that is deleted. */
  forget(id: string): void {
    this.#ends.delete(id);
    this.#unconfirmed.delete(id);
  }

  /** @returns the place behind it. @throws SessionError; S3Failure */
  async append(id: string, position: number, lines: Uint8Array): Promise<number> {
    await this.#requireConditionalWrites(id);
    const earlier = this.#unconfirmed.get(id);
    if (earlier?.position === position) {
      if (await this.#isInLog(id, earlier)) return this.#appendRest(id, earlier, lines);
    } else if (this.#ends.get(id)?.position !== position) {
      await this.#expectEnd(id, position);
    }
    if (await this.#put(id, position, lines)) {
      this.#advance(id, position);
      return position + 1;
    }
    this.#ends.delete(id);
    // An attempt that was given up may have arrived late.
    if (earlier?.position === position && (await this.#isInLog(id, earlier))) {
      return this.#appendRest(id, earlier, lines);
    }
    throw sessionConflict(id, position);
  }

  /** An append that failed is in the log after all: what is to be appended begins with its lines. */
  async #appendRest(
    id: string,
    { position, byteCount, digest }: UnconfirmedAppend,
    lines: Uint8Array,
  ): Promise<number> {
    if (digestOf(lines.subarray(0, byteCount)) !== digest) throw sessionConflict(id, position);
    this.#advance(id, position);
    const rest = lines.subarray(byteCount);
    return rest.length === 0 ? position + 1 : this.append(id, position + 1, rest);
  }

  #advance(id: string, position: number): void {
    this.#unconfirmed.delete(id);
    const looseCount = this.#ends.get(id)?.looseCount ?? 0;
    this.know(id, { position: position + 1, looseCount: looseCount + 1 });
  }

  /** @returns whether it is in the log, and not another in its place */
  async #put(id: string, position: number, lines: Uint8Array): Promise<boolean> {
    const nonce = createNonce();
    const object = appendObject(this.#keys.append(id, position), nonce, lines);
    let mayBeThere = false;
    try {
      const outcome = await this.#objects.putNew(object, lines).catch((error: unknown) => {
        mayBeThere = mayHaveLeftSomething(error);
        throw error;
      });
      if (outcome === "unsupported") throw noConditionalWrites(id);
      if (outcome === "taken") return false;
      mayBeThere = true;
      const { mergedKey, hasPredecessor } = await this.#look(id, position);
      if (mergedKey === undefined && hasPredecessor) return true;
      const found = await this.#find(id, position, nonce);
      if (found === "in_place") return true;
      // Nobody sees it there: it is before the end of what is merged, or behind a gap.
      await this.#objects.delete(object.key);
      if (found === "merged") return true;
      mayBeThere = false;
      if (found === "behind_gap") throw await this.#notTheEnd(id, position);
      return false;
    } catch (error) {
      if (mayBeThere) {
        const { length: byteCount } = lines;
        this.#unconfirmed.set(id, { position, nonce, byteCount, digest: digestOf(lines) });
      }
      throw error;
    }
  }

  /** Whether an append of before is in the log. */
  async #isInLog(id: string, { position, nonce }: UnconfirmedAppend): Promise<boolean> {
    const found = await this.#find(id, position, nonce);
    if (found === "behind_gap") await this.#objects.delete(this.#keys.append(id, position));
    return found === "in_place" || found === "merged";
  }

  /** Looks for an append by its nonce. */
  async #find(
    id: string,
    position: number,
    nonce: Uint8Array,
  ): Promise<"in_place" | "merged" | "behind_gap" | "nowhere"> {
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const { mergedKey, hasPredecessor, isTaken } = await this.#look(id, position);
      if (mergedKey === undefined && !isTaken) return "nowhere";
      const found =
        mergedKey === undefined
          ? await this.#nonceInPlace(id, position)
          : await this.#nonceInMerged(mergedKey, position);
      // It was merged, or merged once more, since the look.
      if (found === undefined) continue;
      if (!Buffer.from(nonce).equals(found)) return "nowhere";
      if (mergedKey !== undefined) return "merged";
      return hasPredecessor ? "in_place" : "behind_gap";
    }
    throw neverAtRest(id);
  }

  async #nonceInPlace(id: string, position: number): Promise<Uint8Array | undefined> {
    const part = await this.#objects.getIfPresent(this.#keys.append(id, position), 0, 1);
    return part && nonceOf(part);
  }

  async #nonceInMerged(key: string, position: number): Promise<Uint8Array | undefined> {
    const appendCount = (this.#keys.parse(key)?.place ?? 0) + 1;
    const head = await this.#objects.getIfPresent(key, 0, 1);
    if (!head) return undefined;
    const start = head.totalBytes - (appendCount - position) * NONCE_BYTES;
    return (await this.#objects.getIfPresent(key, start, start + NONCE_BYTES))?.bytes;
  }

  /** Refuses what is not the end, before anything is written there. */
  async #expectEnd(id: string, position: number): Promise<void> {
    if (position === 0) {
      const presence = await this.#presence(id);
      if (presence === "none") return;
      throw presence === "in_part" ? deletedInPart(id) : sessionConflict(id, position);
    }
    if (!Number.isSafeInteger(position) || position < 0) throw await this.#notTheEnd(id, position);
    const { mergedKey, hasPredecessor, isTaken } = await this.#look(id, position);
    if (mergedKey !== undefined || isTaken) throw sessionConflict(id, position);
    if (!hasPredecessor) throw await this.#notTheEnd(id, position);
  }

  async #notTheEnd(id: string, position: number): Promise<Error> {
    return (await this.#presence(id)) === "whole"
      ? sessionConflict(id, position)
      : sessionNotFound(id);
  }

  /** Whether there is a log: it has a beginning. */
  async #presence(id: string): Promise<"whole" | "in_part" | "none"> {
    let presence: "in_part" | "none" = "none";
    for await (const { key } of this.#objects.list(this.#keys.log(id))) {
      const parsed = this.#keys.parse(key);
      if (!parsed) continue;
      if (parsed.type === "merged" || parsed.place === 0) return "whole";
      presence = "in_part";
    }
    return presence;
  }

  async #look(id: string, position: number): Promise<Surroundings> {
    let mergedKey: string | undefined;
    let hasPredecessor = position === 0;
    let isTaken = false;
    const startAfter = this.#keys.from(id, Math.max(0, position - 1));
    for await (const { key } of this.#objects.list(this.#keys.log(id), startAfter)) {
      const parsed = this.#keys.parse(key);
      if (!parsed) continue;
      if (parsed.place === position - 1) hasPredecessor = true;
      else if (parsed.type === "merged") mergedKey = key;
      else isTaken = true;
    }
    return { mergedKey, hasPredecessor, isTaken };
  }

  /** Asks once for each store, unless the answer did not come. */
  async #requireConditionalWrites(id: string): Promise<void> {
    this.#keepsToConditions ??= keepsToConditions(this.#objects, this.#keys.probe);
    try {
      if (!(await this.#keepsToConditions)) throw noConditionalWrites(id);
    } catch (error) {
      this.#keepsToConditions = undefined;
      throw error;
    }
  }
}

function digestOf(lines: Uint8Array): string {
  return createHash("sha256").update(lines).digest("hex");
}
