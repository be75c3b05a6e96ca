import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyOf, callReadFile, nextOf, walkFile } from "../../test/support/file-walk.js";
import type { FileRef, Item } from "../model/item.js";
import type { Tool } from "../tool/tool.js";
import { MemoryFileBackend } from "./memory-file-backend.js";
import { createReadFileTool } from "./read-file-tool.js";

const PATH = "/large_tool_result/call_1";

/** Counts what is read, so that a test can tell whether a reader goes over the same bytes again. */
class CountingBackend extends MemoryFileBackend {
  readBytes = 0;
  override async read(path: string, start: number, end: number): Promise<Uint8Array> {
    const bytes = await super.read(path, start, end);
    this.readBytes += bytes.length;
    return bytes;
  }
}

interface Bench {
  readonly backend: CountingBackend;
  readonly tool: Tool;
}

async function bench(content: string | Uint8Array, maxAnswerBytes = 16_384): Promise<Bench> {
  const bytes = Buffer.from(content);
  const backend = new CountingBackend();
  await backend.write(PATH, once(bytes));
  const text = bytes.toString("latin1");
  const lineCount = text.split("\n").length - (text === "" || text.endsWith("\n") ? 1 : 0);
  const file: FileRef = { path: PATH, byteCount: bytes.length, lineCount };
  const history: readonly Item[] = [
    { type: "tool_result", callId: "call_1", summary: "saved", files: [file] },
  ];
  const tool = createReadFileTool({
    backend,
    name: "read_file",
    maxAnswerBytes,
    history: () => history,
  });
  return { backend, tool };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const read = ({ tool }: Bench, input: object = {}): ReturnType<typeof callReadFile> =>
  callReadFile(tool, { path: PATH, ...input });

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, i) => `line ${String(i + 1)}\n`).join("");

test("is a tool that reads back, with one required argument", async () => {
  const { tool } = await bench("x");
  expect(tool).toMatchObject({ name: "read_file", readsBack: true });
  expect(tool.inputSchema).toMatchObject({ required: ["path"] });
  expect(tool.description.length).toBeLessThan(600);
});

test("shows the lines that are asked for, what they are out of, and how to go on", async () => {
  const file = await bench(numbered(500));
  expect((await read(file, { offset: 3, limit: 2 })).text).toBe(
    '[file:/large_tool_result/call_1] lines 3-4 of 500 | bytes 14-28 of 4392 | next: {"offset":5,"limit":2}\n' +
      "line 3\nline 4\n",
  );
  expect((await read(file, { offset: 499, limit: 10 })).text).toMatch(
    / lines 499-500 of 500 \| bytes 4374-4392 of 4392 \| end of file\nline 499\nline 500\n$/,
  );
  expect((await read(file)).text).toMatch(/ lines 1-500 of 500 \| .* \| end of file\nline 1\n/);
  expect((await read(await bench(""))).text).toBe(`[file:${PATH}] the file is empty`);
});

test("a line that is too long is read on by its bytes, and then by lines again", async () => {
  const file = await bench(`first\n${"x".repeat(20_000)}\nlast`, 1024);
  const start = await read(file, { offset: 2 });
  expect(start.text).toMatch(
    /lines 2-2 of 3 \| bytes 6-(\d+) of 20011 \| next: \{"offset":2,"byte_offset":\d+\}\nx+$/,
  );
  expect((await read(file, { offset: 2, byte_offset: 19_990 })).text).toMatch(
    / lines 2-3 of 3 \| bytes 19996-20011 of 20011 \| end of file\nxxxxxxxxxx\nlast$/,
  );
  expect((await read(file, { offset: 2, byte_offset: 19_990, limit: 1 })).text).toMatch(
    / \| next: \{"offset":3,"limit":1\}\nxxxxxxxxxx\n$/,
  );
});

describe("F11: a walk shows every byte once", () => {
  test.each([
    ["a needle in one giant line", `${"x".repeat(100_000)}NEEDLE${"y".repeat(100_000)}`],
    ["three giant lines", `${"a".repeat(70_000)}\n${"b".repeat(70_000)}\n${"c".repeat(70_000)}\n`],
    ["many short lines", numbered(50_000)],
    ["no line end at the end", `${numbered(5000)}the end`],
    ["only line ends", "\n".repeat(40_000)],
  ])("%s", async (_name, text) => {
    const answers = await walkFile((await bench(text)).tool, PATH);
    expect(answers.map(bodyOf).join("") === text).toBe(true);
    expect(answers.length).toBeLessThanOrEqual(text.length / 8192 + 2);
    for (const answer of answers) {
      expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(16_384);
    }
  });

  test("any text, at any limits, with no character broken", async () => {
    const unit = fc.constantFrom("a", "漢", "😀", "é", "\n", "\r\n", "👨‍👩‍👧‍👦", "\u001b[0m");
    const text = fc
      .array(fc.tuple(unit, fc.integer({ min: 1, max: 900 })), { minLength: 1, maxLength: 8 })
      .map((words) => words.map(([word, times]) => word.repeat(times)).join(""));
    const limit = fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(text, limit, async (content, lines) => {
        const first: Record<string, number> = lines === undefined ? {} : { limit: lines };
        const answers = await walkFile((await bench(content, 1024)).tool, PATH, first);
        expect(answers.map(bodyOf).join("")).toBe(content);
        for (const answer of answers) {
          expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(1024);
          expect(answer.text).not.toContain("\ufffd");
          expect(answer.text.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("any bytes: the ranges adjoin, and hexadecimal is exact", async () => {
    const chunk = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 3000 }),
      fc.constantFrom("plain\n".repeat(200), "漢".repeat(900)).map((text) => Buffer.from(text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { minLength: 1, maxLength: 5 }), async (chunks) => {
        const bytes = Buffer.concat(chunks);
        const answers = await walkFile((await bench(bytes, 1024)).tool, PATH);
        let end = 0;
        for (const answer of answers) {
          const [, from = "", to = ""] = / bytes (\d+)-(\d+) of /.exec(answer.text) ?? [];
          expect(Number(from)).toBe(end);
          end = Number(to);
          const shown = bytes.subarray(Number(from), end);
          const isHex = answer.text.split("\n", 1)[0]?.includes(" | hexadecimal | ") === true;
          const body = bodyOf(answer);
          const expected = isHex ? shown.toString("hex") : shown.toString("utf8");
          expect(isHex ? body.replaceAll("\n", "") : body).toBe(expected);
          expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(1024);
        }
        expect(end).toBe(bytes.length);
      }),
      { numRuns: 60 },
    );
  });

  test("and reads it about once, also in the middle of a giant line", async () => {
    const file = await bench(`short\n${"x".repeat(3_000_000)}\n`, 4096);
    await walkFile(file.tool, PATH);
    expect(file.backend.readBytes).toBeLessThan(2.5 * 3_000_000);
  });
});

test("bytes that are not UTF-8 are said to be shown as something else", async () => {
  const latin1 = Buffer.from("caf\xe9 au lait, s'il vous pla\xeet\n".repeat(200), "latin1");
  const answer = await read(await bench(latin1));
  expect(answer.text).toMatch(/ \| U\+FFFD is what is not UTF-8 \| next: /);
  expect(bodyOf(answer)).toContain("caf\ufffd au lait");
});

describe("answers an error that says what to do", () => {
  test.each([
    [{ offset: 501 }, /\(out_of_range\): the file has 500 lines; offset counts them from 1$/],
    [{ offset: 2, byte_offset: 7 }, /\(out_of_range\): line 2 has 7 bytes, its end included/],
    [{ offset: 500, byte_offset: 9 }, /\(out_of_range\): line 500 has 9 bytes/],
    [{ offset: 0 }, /offset: expected a whole number of at least 1$/],
    [{ limit: 0 }, /limit: expected a whole number of at least 1$/],
    [{ offset: 1.5 }, /offset: expected a whole number of at least 1$/],
  ])("for %j", async (input, message) => {
    const answer = await read(await bench(numbered(500)), input);
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(message);
  });

  test("for a file that is gone, and another one for a backend that cannot be reached", async () => {
    const gone = await bench("x");
    await gone.backend.delete(PATH);
    expect((await read(gone)).text).toMatch(/^read_file error \(not_found\): .* no longer exists/);
    const down = await bench("x");
    down.backend.stat = () => Promise.reject(new Error("EIO"));
    expect((await read(down)).text).toMatch(/^read_file error \(unavailable\): .* try again/);
    down.backend.stat = () => Promise.reject(Object.assign(new Error(), { code: "forbidden" }));
    expect((await read(down)).text).toMatch(/^read_file error \(unavailable\): access .* refused/);
  });
});

test("F15: no path that the history does not name reaches the backend", async () => {
  const file = await bench("x");
  const asked: string[] = [];
  file.backend.stat = (path) => {
    asked.push(path);
    return Promise.resolve({ byteCount: 1 });
  };
  const hostile = ["../../outside.txt", "/etc/passwd", "%2e%2e%2foutside", `${PATH}\u0000`];
  hostile.push(`${PATH}/../call_2`, PATH.toUpperCase(), "x".repeat(10_000), "");
  for (const path of hostile) {
    const answer = await callReadFile(file.tool, { path });
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/^read_file error \(unknown_path\): /);
    expect(answer.text.length).toBeLessThan(1024);
  }
  expect(asked).toEqual([]);
  await read(file);
  expect(asked).toEqual([PATH]);
});

test("a file that was changed since is read as it is, and said to be changed", async () => {
  const file = await bench(numbered(10));
  await file.backend.delete(PATH);
  await file.backend.write(PATH, once(Buffer.from("other\ntext\n")));
  const answer = await read(file, { offset: 2 });
  expect(answer.text).toBe(
    `[file:${PATH}] lines 2-2 | bytes 6-11 of 11 | changed since it was saved | end of file\ntext\n`,
  );
  expect(nextOf(answer)).toBeUndefined();
});
