import { PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import type { PersistenceError } from "../../src/index.js";
import {
  type S3ClientLike,
  S3SessionStore,
  type S3SessionStoreOptions,
} from "../../src/s3/index.js";
import { S3Objects } from "../../src/s3/s3-objects.js";
import { storeOptions, type TestServer } from "./servers.js";

/** A prefix on a server, and what is in it beside the stores' own view. */
export class SessionPlace {
  readonly options: S3SessionStoreOptions;
  readonly #objects: S3Objects;

  constructor(server: TestServer, changes: Partial<S3SessionStoreOptions> = {}) {
    this.options = storeOptions(server, changes);
    this.#objects = new S3Objects({ ...this.options, client: storeOptions(server).client });
  }

  /** A store that knows nothing of what others have done. */
  store(changes: Partial<S3SessionStoreOptions> = {}): S3SessionStore {
    return new S3SessionStore({ ...this.options, ...changes });
  }

  /** A store whose client does something else behind its first PUT into a log. */
  interrupted(client: S3Client, afterPut: () => Promise<unknown>): S3SessionStore {
    let isFirst = true;
    const between: S3ClientLike = {
      config: client.config,
      async send(command: never, options) {
        const output = await client.send(command, options);
        const sent: object = command;
        if (isFirst && sent instanceof PutObjectCommand && sent.input.Key?.includes("/log/")) {
          isFirst = false;
          await afterPut();
        }
        return output;
      },
    };
    return this.store({ client: between });
  }

  /** Writes a log with an append for each text, and gives the store that has written it. */
  async begin(...texts: readonly string[]): Promise<S3SessionStore> {
    const store = this.store();
    for (const [position, text] of texts.entries()) await store.append("s", position, line(text));
    return store;
  }

  /** Names of the objects in a folder. */
  async names(folder = "sessions/s/log"): Promise<string[]> {
    const names: string[] = [];
    for await (const { key } of this.#objects.list(this.#key(folder, ""))) {
      names.push(key.slice(this.#key(folder, "").length));
    }
    return names;
  }

  /** Removes an object of the log of session `s`. */
  async remove(name: string): Promise<void> {
    await this.#objects.delete(this.#key("sessions/s/log", name));
  }

  #key(folder: string, name: string): string {
    return `${this.options.prefix ?? ""}/${folder}/${name}`;
  }
}

/** One line, as it is appended. */
export function line(text: string): Uint8Array {
  return Buffer.from(`${text}\n`);
}

/** Code of the error that a promise rejects with. */
export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "no error",
    (error: unknown) => (error as PersistenceError).code,
  );
}

/** All of the log of session `s`. */
export async function textOf(store: S3SessionStore): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await store.read("s")).chunks) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A client of the caller's own. */
export function clientOptions({ endpoint, region, credentials }: TestServer) {
  const { accessKeyId, secretAccessKey } = credentials;
  return { endpoint, region, credentials: { accessKeyId, secretAccessKey }, forcePathStyle: true };
}
