// Answers selectors on a blob and prints for each, as JSON: bytes read from the files of the store,
// bytes of the answer, milliseconds (of the fastest of some), and by how many bytes the resident memory
// has grown since the same was done with a small blob. Arguments: directory, id, id of a small blob,
// selectors.
import { readBlob } from "llm-worker";
import { nodeFileSystem } from "../../src/file-system.js";
import { FsBlobStore, type FileSystem } from "../../src/index.js";

const [, , directory = "", id = "", smallId = "", ...selectors] = process.argv;
let bytesRead = 0;

/** The file system of this process, counting what is read. */
const counting: FileSystem = {
  ...nodeFileSystem,
  async open(...args) {
    const handle = await nodeFileSystem.open(...args);
    const read = handle.read.bind(handle) as (...a: unknown[]) => Promise<{ bytesRead: number }>;
    return Object.assign(handle, {
      async read(...a: unknown[]) {
        const result = await read(...a);
        bytesRead += result.bytesRead;
        return result;
      },
    });
  },
};
const store = new FsBlobStore(directory, { fileSystem: counting });

for (let round = 0; round < 20; round += 1) await readBlob(store, smallId);
// Not the peak that the system keeps: a process inherits that of the one that started it.
const idle = process.memoryUsage().rss;
for (const selector of selectors) {
  bytesRead = 0;
  const answer = await readBlob(store, id, selector);
  const bytesOfOne = bytesRead;
  let grown = process.memoryUsage().rss - idle;
  let milliseconds = Infinity;
  for (let round = 0; round < 10; round += 1) {
    const startedAtMs = performance.now();
    await readBlob(store, id, selector);
    milliseconds = Math.min(milliseconds, performance.now() - startedAtMs);
    grown = Math.max(grown, process.memoryUsage().rss - idle);
  }
  const { length: payloadBytes } = answer.payload;
  const { isError, header } = answer;
  process.stdout.write(
    `${JSON.stringify({ selector, isError, header, bytesRead: bytesOfOne, payloadBytes, milliseconds, grown })}\n`,
  );
}
