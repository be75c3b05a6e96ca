import type { S3ObjectEntry, S3Objects } from "./s3-objects.js";
import type { SessionKeys } from "./session-keys.js";
import { NONCE_BYTES } from "./session-objects.js";

/** So often is a log looked at anew without any progress. */
export const MAX_LOOKS = 10;

/** One append that has an object of its own. */
export interface LoggedAppend extends S3ObjectEntry {
  readonly place: number;
}

/** The first appends of a log in one object. */
export interface MergedAppends extends S3ObjectEntry {
  readonly appendCount: number;
  /** Bytes of the lines, without what follows them. */
  readonly lineBytes: number;
}

/** The objects of a log as they were found. */
export interface LogView {
  readonly merged: MergedAppends | undefined;
  /** What follows the merged ones, without gaps. */
  readonly appends: readonly LoggedAppend[];
  /** How many appends there are: the place of the next. */
  readonly position: number;
  /** Bytes of all lines. */
  readonly byteCount: number;
  readonly modifiedAtMs: number;
  /** Whether later appends are there although that at `position` is not. */
  readonly hasHole: boolean;
  /** Objects whose content is in `merged`. */
  readonly leftovers: readonly S3ObjectEntry[];
}

/** Collects the objects of one log, in order of their keys. */
export class LogViewBuilder {
  readonly #appends: LoggedAppend[] = [];
  readonly #merged: MergedAppends[] = [];

  /** Takes an object if it is a part of a log. */
  add(entry: S3ObjectEntry, { type, place }: { type: "append" | "merged"; place: number }): void {
    if (type === "append") this.#appends.push({ ...entry, place });
    else {
      const appendCount = place + 1;
      const lineBytes = entry.byteCount - appendCount * NONCE_BYTES;
      this.#merged.push({ ...entry, appendCount, lineBytes });
    }
  }

  /** `undefined` if there is no beginning, and hence no log. */
  build(): LogView | undefined {
    const merged = this.#merged.at(-1);
    const mergedCount = merged?.appendCount ?? 0;
    const later = this.#appends.filter(({ place }) => place >= mergedCount);
    const hole = later.findIndex(({ place }, index) => place !== mergedCount + index);
    const appends = hole < 0 ? later : later.slice(0, hole);
    if (merged === undefined && appends.length === 0) return undefined;
    const parts = [...(merged ? [merged] : []), ...appends];
    return {
      merged,
      appends,
      position: mergedCount + appends.length,
      byteCount: appends.reduce((sum, part) => sum + part.byteCount, merged?.lineBytes ?? 0),
      modifiedAtMs: parts.reduce((last, part) => Math.max(last, part.modifiedAtMs), 0),
      hasHole: hole >= 0,
      leftovers: [
        ...this.#appends.filter(({ place }) => place < mergedCount),
        ...this.#merged.slice(0, -1),
      ],
    };
  }
}

/**
 * Looks at a log. Merged appends sort behind those that are in them, and are there before those go:
 * a listing that no longer finds the ones finds the others, on whatever page.
 */
export async function viewLog(
  objects: S3Objects,
  keys: SessionKeys,
  id: string,
): Promise<LogView | undefined> {
  for (let before: LogView | undefined; ;) {
    const builder = new LogViewBuilder();
    for await (const entry of objects.list(keys.log(id))) {
      const key = keys.parse(entry.key);
      if (key) builder.add(entry, key);
    }
    const view = builder.build();
    // Of two appends in a row during a listing only the second may be on a later page.
    if (view?.hasHole !== true || view.position === before?.position) return view;
    before = view;
  }
}
