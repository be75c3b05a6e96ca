import type { BlobKind, BlobReader } from "../blob/blob-store.js";
import type { Selector } from "./selector.js";

/** A blob's kind, or a JSON string that is read as the text it stands for. */
export type ViewKind = BlobKind | "string";

/** A value inside a blob, or the blob: what the steps `key` and `slice` lead to. */
export interface View {
  readonly kind: ViewKind;
  /** Reads the value as a blob of its own: offsets count from its beginning. */
  readonly reader: BlobReader;
  /** The steps that lead to it. */
  readonly path: Selector;
}

/** The bytes of a view that `lines` and `bytes` leave: all of it without them. */
export interface Scope {
  readonly start: number;
  readonly end: number;
  /** The line (1-based) that begins at `start`, where that is known. */
  readonly firstLine?: number | undefined;
  /** The line (1-based) that ends at `end`, where that is known. */
  readonly lastLine?: number | undefined;
}

/** Whether a view has lines. */
export function isText(kind: ViewKind): boolean {
  return kind === "text" || kind === "string";
}

/** Whether a view is a text of which each line is a JSON value. */
export function isNdjson({ kind, reader }: View): boolean {
  return kind === "text" && reader.stat.entryCount !== undefined;
}

/** What a view is, what may be asked of it with the ranges that it has, and an example. */
export function describeView(view: View): string {
  const {
    kind,
    reader: { stat },
  } = view;
  const { lineCount, entryCount, keyCount, byteCount } = stat;
  const sizes = [
    counted(lineCount, "line", "lines"),
    counted(entryCount, "entry", "entries"),
    counted(keyCount, "key", "keys"),
    counted(byteCount, "byte", "bytes"),
  ].filter((size) => size !== undefined);
  const what = `This is ${kind} of ${sizes.join(", ")}.`;
  if (byteCount === 0) return `${what} There is nothing to select.`;

  const forms = [`bytes:0-${byteCount}`, "find:TEXT"];
  let example = `bytes:0-${Math.min(4096, byteCount)}`;
  if (isText(kind)) {
    if (isNdjson(view)) forms.unshift(`slice:0..${entryCount}`);
    forms.unshift(`lines:1-${lineCount ?? "N"}`);
    example = `lines:1-${Math.min(50, lineCount ?? 50)}`;
  } else if (kind === "json_array" && entryCount !== 0) {
    forms.unshift(`slice:0..${entryCount ?? "N"}`);
    example = `slice:0..${Math.min(5, entryCount ?? 5)}`;
  } else if (kind === "json_object" && keyCount !== 0) {
    forms.unshift("key:NAME");
  }
  return `${what} Valid: ${forms.join(", ")}. Example: ${example}`;
}

/** `1 line`, `2 lines`; `undefined` for what is not known. */
export function counted(value: number | undefined, one: string, many: string): string | undefined {
  return value === undefined ? undefined : `${value} ${value === 1 ? one : many}`;
}
