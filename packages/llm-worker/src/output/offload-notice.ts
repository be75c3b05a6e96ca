import type { FileRef } from "../model/item.js";
import { cutEnd } from "./cut.js";
import type { FileDescription } from "./file-facts.js";
import { counted, firstLine } from "./summary.js";

/** What a notice says beside the file's own facts. */
export interface NoticeParts {
  readonly callId: string;
  readonly readFileToolName: string;
  /** Why the output is incomplete. */
  readonly note?: string | undefined;
  /** The tool's own summary, in place of the first lines. */
  readonly own?: string | undefined;
}

/** A call id is quoted up to this; the history has it whole beside the notice. */
const MAX_CALL_ID_BYTES = 200;
/** The tool's own summary gets as much as ten lines of a thousand would. */
const MAX_OWN_BYTES = 10_000;

/** What the history holds in place of an output that is in a file. */
export function offloadNotice(
  file: FileRef,
  { stat, lineCount, firstLines }: FileDescription,
  { callId, readFileToolName, note, own }: NoticeParts,
): string {
  const lines = counted(lineCount, "line", "lines");
  const what = stat.kind.startsWith("json_") ? `${firstLine(stat)} | ${lines}` : firstLine(stat);
  const how =
    stat.kind === "binary"
      ? "which shows it in hexadecimal"
      : "with offset (its first line, from 1) and limit (lines)";
  const call = cutEnd(JSON.stringify(callId.toWellFormed()), MAX_CALL_ID_BYTES);
  const notice = [
    `The result of call ${call} is not shown here: ${what}`,
    `It is saved in the file ${JSON.stringify(file.path)}; read it with ${readFileToolName}, ${how}.`,
  ];
  if (note !== undefined) notice.push(note.replaceAll(/[\r\n]+/g, " "));
  if (own !== undefined) {
    if (own !== "") notice.push(cutEnd(own, MAX_OWN_BYTES));
  } else if (firstLines.length > 0) {
    notice.push(`── first ${counted(firstLines.length, "line", "lines")} ──`);
    notice.push(...firstLines.map((line, index) => `${String(index + 1)}: ${line}`));
  }
  return notice.join("\n");
}
