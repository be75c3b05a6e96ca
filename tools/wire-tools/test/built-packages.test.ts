import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const PACKAGES = fileURLToPath(new URL("../../../packages/", import.meta.url));
const isBuilt = existsSync(join(PACKAGES, "llm-worker/dist/index.js"));

const STATIC_IMPORT = /^(?:import|export) (?:[^"]* from )?"([^"]+)";$/gm;
const CLASS = /^(?:var|const) ([\w$]+) = class\b|^class ([\w$]+)/gm;

interface Loaded {
  /** Paths within the package's `dist`. */
  readonly files: readonly string[];
  /** What it imports from elsewhere, without what those import. */
  readonly others: readonly string[];
}

function loadedBy(name: string, entry = "index.js"): Loaded {
  const dist = join(PACKAGES, name, "dist");
  const files = new Set<string>();
  const others = new Set<string>();
  const load = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(STATIC_IMPORT)) {
      if (specifier.startsWith(".")) load(join(dirname(file), specifier));
      else others.add(specifier);
    }
  };
  load(join(dist, entry));
  return {
    files: [...files].map((file) => relative(dist, file)).sort(),
    others: [...others].sort(),
  };
}

function isPackage(specifier: string): boolean {
  return !specifier.startsWith("node:");
}

describe.skipIf(!isBuilt)(
  `the packages as they are built${isBuilt ? "" : " (skipped: not built)"}`,
  () => {
    test("the core loads in two files, without zod, undici and Node's slower modules", () => {
      const { files, others } = loadedBy("llm-worker");
      expect(files).toEqual(["index.js", "shared.js"]);
      expect(others.filter(isPackage)).toEqual([]);
      expect(others).not.toContain("node:crypto");
      expect(others).not.toContain("node:zlib");
    });

    test("the blob room loads without the worker", () => {
      expect(loadedBy("llm-worker", "blob/index.js").files).toEqual(["blob/index.js", "shared.js"]);
    });

    test("the stores load in two files, and of the core only the blob room", () => {
      const { files, others } = loadedBy("llm-worker-persistence");
      expect(files).toEqual(["index.js", "shared.js"]);
      expect(others.filter(isPackage)).toEqual(["llm-worker/blob"]);
      expect(others).not.toContain("node:crypto");
      expect(others).not.toContain("node:fs");
      expect(others).not.toContain("node:zlib");
    });

    test.each(["anthropic", "gemini", "ollama", "openai"])(
      "the %s provider loads in one file, beside the core",
      (name) => {
        expect(loadedBy(`providers-${name}`)).toEqual({
          files: ["index.js"],
          others: expect.arrayContaining(["llm-worker"]),
        });
        expect(loadedBy(`providers-${name}`).others.filter(isPackage)).toEqual(["llm-worker"]);
      },
    );

    // What pnpm asks of each name before it adds the licence of the repository.
    test.each(["llm-worker", "llm-worker-persistence"])(
      "no file of %s passes for its licence, so that it is published with ours",
      (name) => {
        const files = readdirSync(join(PACKAGES, name, "dist"), {
          recursive: true,
          encoding: "utf8",
        });
        expect(files.filter((file) => /licen[cs]e/i.test(file))).toEqual([]);
      },
    );

    test.each(["llm-worker", "llm-worker-persistence"])(
      "each class of %s is in one file and has its own name: errors tell it, instanceof needs it",
      (name) => {
        const dist = join(PACKAGES, name, "dist");
        const files = readdirSync(dist, { recursive: true, encoding: "utf8" });
        const classes = files
          .filter((file) => file.endsWith(".js"))
          .flatMap((file) => [...readFileSync(join(dist, file), "utf8").matchAll(CLASS)])
          .map(([, variable, declared]) => variable ?? declared ?? "");
        expect(classes.length).toBeGreaterThan(20);
        expect(classes.filter((one, at) => classes.indexOf(one) !== at)).toEqual([]);
        expect(classes.filter((one) => /\$\d+$/.test(one))).toEqual([]);
      },
    );
  },
);
