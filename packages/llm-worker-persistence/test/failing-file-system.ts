import type { OpenFile } from "../src/open-file.js";
import { nodeSessionFileSystem, type SessionFileSystem } from "../src/session/fs-claim.js";

/** One call that a store makes; `handle.…` are those on an open file. */
export interface FileOperation {
  readonly name: string;
  readonly path: string;
  readonly args: readonly unknown[];
}

/**
 * The real file system, except that an operation for which `fails` gives a code (`ENOSPC`, …)
 * rejects with it: what a full, broken or read-only disk does, which no test can ask of a real one.
 */
export function failingFileSystem(
  fails: (operation: FileOperation) => string | undefined,
): SessionFileSystem {
  return intercept(nodeSessionFileSystem, "", "", fails);
}

type Callable = (...args: unknown[]) => unknown;

function intercept<T extends object>(
  target: T,
  prefix: string,
  path: string,
  fails: (operation: FileOperation) => string | undefined,
): T {
  return new Proxy({} as T, {
    get(_, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        const at = path === "" ? String(args[0]) : path;
        const code = fails({ name: prefix + String(key), path: at, args });
        // A close that reports an error has closed all the same.
        if (code !== undefined && key !== "close") throw errno(code);
        const result = await (value as Callable).apply(target, args);
        if (code !== undefined) throw errno(code);
        return key === "open" ? intercept(result as OpenFile, "handle.", at, fails) : result;
      };
    },
  });
}

function errno(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: provoked`), { code });
}
