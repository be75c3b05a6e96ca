// Reads parts of large files as rivals do it. `Place` and the figures: ../src/inspect/.
// Each rival is loaded by the handler that measures it: the others are not in its process.
import { createReadStream } from "node:fs";
import { serveCalls } from "../dist/harness/child.js";
import { measureReads } from "../dist/inspect/reads.js";

/** @typedef {import("../dist/inspect/inspect-child.js").ReadTask} ReadTask */

/** @param {ReadTask} task */
async function readLines({ path, places }) {
  const { FilesystemBackend } = await import("deepagents");
  const backend = new FilesystemBackend();
  return measureReads(places, async ({ first, count }) => {
    return `${textOf(await backend.read(path, first, count))}\n`;
  });
}

/**
 * All that it can give of JSON on one line.
 * @param {ReadTask} task
 */
async function readOnlyLine({ path, places }) {
  const { FilesystemBackend } = await import("deepagents");
  const backend = new FilesystemBackend();
  return measureReads(places, async ({ start, end }) => {
    return `[${textOf(await backend.read(path, 0, 1)).slice(start, end)}]`;
  });
}

/** @param {import("deepagents").ReadResult} result */
function textOf({ content, error }) {
  if (typeof content !== "string") throw new Error(error ?? "no text");
  return content;
}

/** @param {ReadTask} task */
async function streamArray({ path, places }) {
  const { streamArray: elements } = await import("stream-json/streamers/stream-array.js");
  return measureReads(places, async ({ first, count }) => {
    const found = [];
    const stream = createReadStream(path);
    for await (const { value } of stream.pipe(elements.withParserAsStream())) {
      found.push(value);
      if (found.length > count) found.shift();
      if (found.length === count && found.at(-1).id === first + count - 1) break;
    }
    stream.destroy();
    return JSON.stringify(found);
  });
}

/** @param {ReadTask} task */
async function pick({ path, places }) {
  const filters = await import("stream-json/filters/pick.js");
  const { streamValues } = await import("stream-json/streamers/stream-values.js");
  return measureReads(places, async ({ selector }) => {
    const filter = selector.slice("key:".length);
    const stream = createReadStream(path);
    const picked = stream
      .pipe(filters.pick.withParserAsStream({ filter }))
      .pipe(streamValues.asStream());
    for await (const { value } of picked) return JSON.stringify(value);
    throw new Error("not found");
  });
}

serveCalls({ readLines, readOnlyLine, streamArray, pick });
