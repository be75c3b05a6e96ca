import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeDirectory } from "../../test/support/run.js";
import { confineToDirectory, confineToFile, readableSize, readChunks } from "./confined.js";

async function makeTree(): Promise<{ root: string; inside: string }> {
  const root = await makeDirectory();
  const inside = join(root, "inside");
  await mkdir(join(inside, "sub"), { recursive: true });
  await writeFile(join(root, "secret.txt"), "secret");
  await writeFile(join(inside, "a.txt"), "one");
  await writeFile(join(inside, "sub", "b.txt"), "two");
  return { root, inside };
}

describe("a folder", () => {
  test("gives what is in it, by relative and by absolute paths", async () => {
    const { inside } = await makeTree();
    const confined = await confineToDirectory(inside);
    expect(await confined.locate("sub/b.txt")).toMatchObject({ name: "sub/b.txt" });
    expect(await confined.locate(join(inside, "sub", "b.txt"))).toMatchObject({
      name: "sub/b.txt",
    });
    expect(await confined.locate("./sub/../a.txt")).toMatchObject({ name: "a.txt" });
    expect(await confined.locate(".")).toMatchObject({ name: ".", isDirectory: true });
    expect(await confined.locate("")).toMatchObject({ name: ".", isDirectory: true });
  });

  test("refuses paths that lead out", async () => {
    const { root, inside } = await makeTree();
    const confined = await confineToDirectory(inside);
    for (const path of ["..", "../secret.txt", "sub/../../secret.txt", join(root, "secret.txt")]) {
      await expect(confined.locate(path)).rejects.toThrow("outside of the folder");
    }
    await expect(confined.locate("a\u0000.txt")).rejects.toThrow("a\\u0000.txt");
  });

  test("refuses symbolic links that lead out, and follows those that stay", async () => {
    const { root, inside } = await makeTree();
    await symlink(join(root, "secret.txt"), join(inside, "out.txt"));
    await symlink(root, join(inside, "up"));
    await symlink("a.txt", join(inside, "in.txt"));
    const confined = await confineToDirectory(inside);
    await expect(confined.locate("out.txt")).rejects.toThrow("symbolic link");
    await expect(confined.locate("up/secret.txt")).rejects.toThrow("symbolic link");
    expect(await readableSize(await confined.locate("in.txt"))).toBe(3);
  });

  test("may itself be reached by a symbolic link", async () => {
    const { root, inside } = await makeTree();
    await symlink(inside, join(root, "link"));
    const confined = await confineToDirectory(join(root, "link"));
    expect(await confined.locate(join(root, "link", "a.txt"))).toMatchObject({ name: "a.txt" });
    expect(await confined.locate(join(inside, "a.txt"))).toMatchObject({ name: "a.txt" });
  });

  test("lists its entries by name, with what they are", async () => {
    const { inside } = await makeTree();
    await symlink("a.txt", join(inside, "link"));
    const confined = await confineToDirectory(inside);
    expect(await confined.entries(await confined.locate("."))).toEqual([
      { name: "a.txt", type: "file", byteCount: 3 },
      { name: "link", type: "link" },
      { name: "sub", type: "directory" },
    ]);
  });
});

describe("a single file", () => {
  test("is all that can be seen of its folder", async () => {
    const { inside } = await makeTree();
    await writeFile(join(inside, "other.txt"), "other");
    const path = join(inside, "a.txt");
    const confined = await confineToFile(path);
    expect(await confined.locate("a.txt")).toMatchObject({ name: "a.txt" });
    expect(await confined.locate(path)).toMatchObject({ name: "a.txt" });
    await expect(confined.locate("other.txt")).rejects.toThrow('only "a.txt"');
    await expect(confined.locate("..")).rejects.toThrow('only "a.txt"');
    expect(await confined.entries(await confined.locate("."))).toEqual([
      { name: "a.txt", type: "file", byteCount: 3 },
    ]);
  });
});

describe("reading", () => {
  test("gives the bytes of a file in pieces", async () => {
    const { inside } = await makeTree();
    const bytes = Buffer.alloc(300_000, "0123456789");
    await writeFile(join(inside, "big.txt"), bytes);
    const place = await (await confineToDirectory(inside)).locate("big.txt");
    const pieces: Uint8Array[] = [];
    for await (const piece of readChunks(place, new AbortController().signal)) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  });

  test("refuses folders, and files that have no end", async () => {
    const { inside } = await makeTree();
    const sub = await (await confineToDirectory(inside)).locate("sub");
    await expect(readableSize(sub)).rejects.toThrow("is a directory");
  });

  test.skipIf(process.platform === "win32")("refuses devices", async () => {
    const device = await (await confineToFile("/dev/zero")).locate("zero");
    await expect(readableSize(device)).rejects.toThrow("not a regular file");
  });
});
