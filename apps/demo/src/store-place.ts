import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { FsBlobStore } from "llm-worker-persistence";
import { DemoError, describeFileError } from "./demo-error.js";
import type { SceneResult } from "./run-scene.js";

/** Where the stored outputs of a run lie. */
export interface StorePlace {
  readonly store: FsBlobStore;
  readonly blobDirectory: string;
  /** Keeps what the model was sent and what it said. Returns the file. */
  readonly saveHistory: ((result: SceneResult) => Promise<string>) | undefined;
}

const PRIVATE_DIRECTORY = { recursive: true, mode: 0o700 };

/** A place that is removed with the scratch directory. */
export function scratchStore(scratchDirectory: string): StorePlace {
  return placeAt(join(scratchDirectory, "store"), undefined);
}

/** A place that the user has named. @throws DemoError if nothing can be kept there */
export async function keptStore(directory: string, currentDirectory: string): Promise<StorePlace> {
  const path = resolve(currentDirectory, directory);
  try {
    await mkdir(path, PRIVATE_DIRECTORY);
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new DemoError(`--store ${directory}: ${describeFileError(error)}`, { cause: error });
  }
  return placeAt(path, async ({ question, status, items }) => {
    const histories = join(path, "history");
    const file = join(histories, `${randomUUID()}.json`);
    const text = JSON.stringify({ question, status, items }, undefined, 2);
    await mkdir(histories, PRIVATE_DIRECTORY);
    await writeFile(file, `${text}\n`, { flag: "wx", mode: 0o600 });
    return file;
  });
}

function placeAt(path: string, saveHistory: StorePlace["saveHistory"]): StorePlace {
  return { store: new FsBlobStore(path), blobDirectory: join(path, "blobs"), saveHistory };
}
