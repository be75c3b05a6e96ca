import { jsonBytes } from "../samples/json-text.js";
import { logText, wideText } from "../samples/log-text.js";

/** What a tool has returned. */
export type ValueKind = "text" | "wide text" | "JSON";

/** A value to be stored; a child process makes it itself, so that only its name crosses over. */
export interface StoreJob {
  readonly kind: ValueKind;
  readonly byteCount: number;
  readonly durability: "fsync" | "none";
  /** How many times in one go; the figures are of one. */
  readonly calls: number;
  /** An empty directory of the job's own. */
  readonly directory: string;
}

/** The value of a job. */
export function makeValue({ kind, byteCount }: Pick<StoreJob, "kind" | "byteCount">): string {
  switch (kind) {
    case "text":
      return logText(byteCount);
    case "wide text":
      return wideText(byteCount);
    case "JSON":
      return jsonBytes("records", byteCount).toString("utf8");
  }
}
