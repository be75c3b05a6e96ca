import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { installedSize } from "./installed-size.js";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "installed-size-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

async function addPackage(path: string, manifest: object, fileBytes = 0): Promise<number> {
  const home = join(directory, path);
  const text = JSON.stringify({ version: "1.0.0", ...manifest });
  await mkdir(home, { recursive: true });
  await writeFile(join(home, "package.json"), text);
  await writeFile(join(home, "index.js"), " ".repeat(fileBytes));
  return text.length + fileBytes;
}

test("counts each package once, nested and linked ones too, and no optional peers", async () => {
  const sizes = [
    await addPackage(
      "node_modules/a",
      {
        name: "a",
        dependencies: { b: "1", c: "1" },
        optionalDependencies: { "only-elsewhere": "1" },
        peerDependencies: { c: "1", d: "1" },
        peerDependenciesMeta: { d: { optional: true } },
      },
      10,
    ),
    await addPackage("node_modules/a/node_modules/b", { name: "b", dependencies: { c: "1" } }, 20),
    await addPackage("store/c", { name: "c", peerDependencies: { a: "1" } }, 40),
  ];
  await symlink(join(directory, "store/c"), join(directory, "node_modules/c"));
  await addPackage("node_modules/d", { name: "d" }, 80);
  await symlink(join(directory, "node_modules"), join(directory, "store/node_modules"));
  expect(await installedSize(directory, ["a"])).toEqual({
    packages: ["a", "b", "c"].map((name, at) => ({
      name,
      version: "1.0.0",
      fileCount: 2,
      bytes: sizes[at],
    })),
    fileCount: 6,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  });
});

test("a needed package that is missing is an error", async () => {
  await addPackage("node_modules/a", { name: "a", dependencies: { gone: "1" } });
  await expect(installedSize(directory, ["a"])).rejects.toThrow("gone is not installed");
});
