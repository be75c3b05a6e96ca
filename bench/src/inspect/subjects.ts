import { unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { builtScript } from "../harness/built-script.js";
import { callOnce } from "../harness/child.js";
import type { Subject } from "../harness/interleave.js";
import { LIMIT, OURS } from "../harness/measure.js";
import { hasRivals, rivalScript } from "../harness/rivals.js";
import { RARE_WORD, type StoredBlob } from "./corpus.js";

/** Who does the same work, by name. */
export type Subjects = Readonly<Record<string, Subject>>;

/** Whoever reads the whole file for an answer is asked so often in a process. */
export const SLOW_READS = 2;

/** Run what is built, and what the rivals do. */
const OWN = (): URL => builtScript("inspect/inspect-child.js");
const RIVAL = (): URL => rivalScript("read-large.mjs");

/** The tool, and who knows where the answer lies. */
export function readers(blob: StoredBlob): Subjects {
  return { [OURS]: calling(OWN, "inspect", blob), [LIMIT]: calling(OWN, "readRange", blob) };
}

/** Who gives lines of a file. */
export function lineRivals(blob: StoredBlob): Subjects {
  const few = { ...blob, places: blob.places.slice(-SLOW_READS) };
  return {
    "node:readline": calling(OWN, "readByLines", few),
    ...(hasRivals() && { "deepagents FilesystemBackend": calling(RIVAL, "readLines", few) }),
  };
}

/** Who gives elements of an array in a file. */
export function elementRivals(blob: StoredBlob): Subjects {
  const one = { ...blob, places: blob.places.slice(-1) };
  return {
    "JSON.parse": calling(OWN, "parseWhole", one),
    ...(hasRivals() && {
      "stream-json streamArray": calling(RIVAL, "streamArray", one),
      "deepagents FilesystemBackend": calling(RIVAL, "readOnlyLine", one),
    }),
  };
}

/** Who gives a member of an object in a file. */
export function keyRivals(blob: StoredBlob): Subjects {
  return {
    "JSON.parse": calling(OWN, "parseWhole", blob),
    ...(hasRivals() && { "stream-json pick": calling(RIVAL, "pick", blob) }),
  };
}

/** `find:`, one scan, and who looks at each line. */
export function finders(blob: StoredBlob): Subjects {
  const task = { ...blob, word: RARE_WORD };
  return {
    [OURS]: calling(OWN, "find", task),
    [LIMIT]: calling(OWN, "scan", task),
    "node:readline": calling(OWN, "findByLines", task),
  };
}

/** Opening a blob whose index is lost, and reading all of it. */
export function indexers(blob: StoredBlob): Subjects {
  const makeIndex = calling(OWN, "makeIndex", blob);
  return {
    [OURS]: async () => {
      await unlink(join(dirname(blob.path), `${blob.id}.index`));
      return makeIndex();
    },
    [LIMIT]: calling(OWN, "readAll", blob),
  };
}

function calling(script: () => URL, name: string, task: object): Subject {
  return () => callOnce(script(), name, task);
}
