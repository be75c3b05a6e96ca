import { expect, test } from "vitest";
import { MemoryFileBackend } from "./memory-file-backend.js";

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(64);
  for (const text of texts) yield buffer.subarray(0, buffer.write(text));
}

test("gives back parts of what was written, from a buffer that was used again", async () => {
  const backend = new MemoryFileBackend();
  expect(await backend.write("/a", chunksOf("one ", "two"))).toBe("/a");
  expect(await backend.stat("/a")).toEqual({ byteCount: 7 });
  const read = async (start: number, end: number): Promise<string> =>
    Buffer.from(await backend.read("/a", start, end)).toString();
  expect(await read(0, 100)).toBe("one two");
  expect(await read(2, 5)).toBe("e t");
  expect(await read(-3, 2)).toBe("on");
  expect(await read(9, 12)).toBe("");
  (await backend.read("/a", 0, 7)).fill(0);
  expect(await read(0, 7)).toBe("one two");
});

test("never overwrites, not even with writes of one path at the same time", async () => {
  const backend = new MemoryFileBackend();
  const paths = await Promise.all(
    ["1", "2", "3"].map((text) => backend.write("/a", chunksOf(text))),
  );
  expect(paths.toSorted()).toEqual(["/a", "/a-2", "/a-3"]);
  for (const [index, path] of paths.entries()) {
    expect(Buffer.from(await backend.read(path, 0, 9)).toString()).toBe(String(index + 1));
  }
});

test("leaves nothing of a write that fails, and says of what is not there that it is not", async () => {
  const backend = new MemoryFileBackend();
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("some");
    throw new Error("gone");
  }
  await expect(backend.write("/a", failing())).rejects.toThrow("gone");
  expect(backend.paths).toEqual([]);
  await expect(backend.stat("/a")).rejects.toMatchObject({ code: "not_found" });
  await expect(backend.read("/a", 0, 1)).rejects.toMatchObject({ code: "not_found" });
  await backend.write("/a", chunksOf("x"));
  expect(await backend.delete("/a")).toBe(true);
  expect(await backend.delete("/a")).toBe(false);
});
