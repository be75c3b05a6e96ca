import type { ObjectPart } from "./blob-index.js";
import type { BlobReader } from "./blob-store.js";
import { JsonPartScanner, type JsonMember } from "./json-part-scanner.js";
import { runScan } from "./json-scan.js";
import { lastAtOrBefore } from "./lookup.js";
import { endOfValueBefore, partAt } from "./part-lookup.js";

/** Members of an object that are to be visited. */
export interface MemberScan {
  /** Its opening bracket, or where a member begins after a comma. */
  readonly from: number;
  readonly at: "value" | "member";
  /** The end of the object, or a byte after one of its commas. */
  readonly to: number;
  readonly toEnd: "object" | "member";
  /** Longer keys are not read. In UTF-16 units. */
  readonly maxKeyUnits: number;
  /** What the index knows of the object. */
  readonly part?: ObjectPart | undefined;
  /** Where the value that begins at `start` ends, if that is known. */
  endOfValue?(start: number): number | undefined;
}

/** Visits members in order until told to stop. Large values that the index knows are not read. */
export async function visitMembers(
  reader: BlobReader,
  scan: MemberScan,
  visit: (member: JsonMember, partCount: number) => boolean,
): Promise<void> {
  const { from, at, to, toEnd, maxKeyUnits, part } = scan;
  const parts: JsonPartScanner = new JsonPartScanner(
    {
      onMember: (member, partCount) => {
        if (!visit(member, partCount) || isLastOf(scan, member)) parts.stop();
      },
    },
    { base: from, at, maxKeyUnits },
  );
  await runScan(reader, parts, to, {
    blockEnd: toEnd === "member" ? to : undefined,
    endOfValue: async (start, position) =>
      scan.endOfValue?.(start) ??
      partAt(reader, start)?.end ??
      (part && (await endOfLargeValue(reader, part, start, position))),
  });
}

/** The next checkpoint follows a value of which so much has been read. */
async function endOfLargeValue(
  reader: BlobReader,
  part: ObjectPart,
  start: number,
  position: number,
): Promise<number | undefined> {
  if (position - start < part.spacing) return undefined;
  return endOfValueBefore(reader, nextCheckpoint(part, position));
}

/** Whether a large value is known to be the last that is to be visited: what follows is not read. */
function isLastOf({ to, part }: MemberScan, { start, end }: JsonMember): boolean {
  return part !== undefined && end - start >= part.spacing && nextCheckpoint(part, end) === to;
}

/** The next, or the end of the object. */
function nextCheckpoint({ offsets, end }: ObjectPart, position: number): number {
  return offsets.at(lastAtOrBefore(position, offsets) + 1) ?? end;
}
