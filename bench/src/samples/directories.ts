import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Hands out empty directories. */
export interface Directories {
  next(): Promise<string>;
}

/** Gives `work` directories under the system's temporary one, all of which are removed after it. */
export async function withDirectories<Result>(
  work: (directories: Directories) => Promise<Result>,
): Promise<Result> {
  const root = await mkdtemp(join(tmpdir(), "llm-worker-bench-"));
  let count = 0;
  const next = async (): Promise<string> => {
    const directory = join(root, String((count += 1)));
    await mkdir(directory);
    return directory;
  };
  try {
    return await work({ next });
  } finally {
    await rm(root, { recursive: true });
  }
}
