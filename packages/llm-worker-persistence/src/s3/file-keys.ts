import { SIDECAR_EXTENSION } from "../blob-layout.js";

/** The keys of files under a prefix. */
export class FileKeys {
  readonly #prefix: string;

  constructor(keyPrefix: string) {
    this.#prefix = keyPrefix;
  }

  file(names: readonly string[]): string {
    return this.#prefix + names.join("/");
  }

  /** Begins with a dot, as no file does. */
  sidecar(names: readonly string[]): string {
    const directory = names.slice(0, -1).map((name) => `${name}/`);
    return `${this.#prefix}${directory.join("")}.${names.at(-1) ?? ""}${SIDECAR_EXTENSION}`;
  }
}
