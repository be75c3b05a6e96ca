import { describe, expect, onTestFinished, test, vi } from "vitest";
import { MemoryFileBackend } from "./memory-file-backend.js";
import { writeFile } from "./write-file.js";

const deadline = { timeoutMs: 10 };

/** Gives the pieces one after the other, then `undefined`. */
function giving(...pieces: readonly string[]): () => Promise<Uint8Array | undefined> {
  const left = pieces.map((piece) => Buffer.from(piece));
  return () => Promise.resolve(left.shift());
}

function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

class StallingBackend extends MemoryFileBackend {
  release: () => void = () => undefined;
  override async write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<string> {
    await new Promise<void>((resolve) => {
      this.release = resolve;
    });
    return super.write(path, chunks);
  }
}

describe("a write", () => {
  test("resolves to the path that the backend has used", async () => {
    const backend = new MemoryFileBackend();
    await writeFile(backend, "/a", giving("x"), deadline);
    expect(await writeFile(backend, "/a", giving("one ", "two"), deadline)).toBe("/a-2");
    expect(Buffer.from(await backend.read("/a-2", 0, 9)).toString()).toBe("one two");
  });

  test("waits for a slow tool as long as that takes", async () => {
    const backend = new MemoryFileBackend();
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const next = giving("x", "y");
    const slow = async (): Promise<Uint8Array | undefined> => {
      await vi.advanceTimersByTimeAsync(100 * deadline.timeoutMs);
      return next();
    };
    await writeFile(backend, "/a", slow, deadline);
    expect(await backend.stat("/a")).toEqual({ byteCount: 2 });
  });

  test("is given up when the backend is late, and leaves nothing if it goes on after that", async () => {
    const backend = new StallingBackend();
    const next = giving("x");
    await expect(writeFile(backend, "/a", next, deadline)).rejects.toMatchObject({
      code: "timeout",
    });
    backend.release();
    await turnOfEventLoop();
    expect(backend.paths).toEqual([]);
    expect(await next()).toEqual(Buffer.from("x"));
  });

  test("that comes to its end too late is deleted", async () => {
    class SlowToFinish extends StallingBackend {
      override async write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<string> {
        const used = await MemoryFileBackend.prototype.write.call(this, path, chunks);
        await new Promise<void>((resolve) => {
          this.release = resolve;
        });
        return used;
      }
    }
    const backend = new SlowToFinish();
    await expect(writeFile(backend, "/a", giving("x"), deadline)).rejects.toMatchObject({
      code: "timeout",
    });
    expect(backend.paths).toEqual(["/a"]);
    backend.release();
    await turnOfEventLoop();
    expect(backend.paths).toEqual([]);
  });

  test("by a backend that leaves out the end is no write", async () => {
    const backend = new MemoryFileBackend();
    const write = backend.write.bind(backend);
    backend.write = (path, chunks) =>
      write(
        path,
        (async function* () {
          for await (const chunk of chunks) {
            yield chunk;
            return;
          }
        })(),
      );
    await expect(writeFile(backend, "/a", giving("x", "y"), deadline)).rejects.toThrow("all of");
    await turnOfEventLoop();
    expect(backend.paths).toEqual([]);
  });
});
