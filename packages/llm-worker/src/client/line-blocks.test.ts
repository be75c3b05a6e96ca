import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { LineBlocks } from "./line-blocks.js";
import { NdjsonDecoder } from "./ndjson.js";
import type { Frame } from "./scheme.js";
import { SseDecoder } from "./sse.js";
import type { FrameDecoder } from "./frame-decoder.js";

const bytesOf = (text: string): Buffer => Buffer.from(text);

function framesOf(decoder: FrameDecoder, pieces: Iterable<Uint8Array>): Frame[] {
  const frames: Frame[] = [];
  for (const piece of pieces) decoder.write(piece, (frame) => frames.push(frame));
  decoder.end((frame) => frames.push(frame));
  return frames;
}

function dataOf(text: string, decoder: FrameDecoder = new SseDecoder()): string[] {
  return framesOf(decoder, [bytesOf(text)]).map(({ data }) => data);
}

function* cut(bytes: Uint8Array, places: readonly number[]): Generator<Uint8Array> {
  let start = 0;
  for (const place of places.toSorted((a, b) => a - b)) {
    yield bytes.subarray(start, place);
    start = place;
  }
  yield bytes.subarray(start);
}

/** Text of the pieces that event streams are made of, good ones and bad. */
const streamText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "data",
        ":",
        " ",
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        "event: x",
        'data: {"a":"grüße😀"}',
      ),
      fc.string({ unit: "binary", maxLength: 5 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

describe.each([
  ["SSE", () => new SseDecoder()],
  ["NDJSON", () => new NdjsonDecoder()],
])("F1, F4: %s", (_name, create) => {
  test("gives the same frames wherever the bytes are cut", () => {
    fc.assert(
      fc.property(streamText, fc.infiniteStream(fc.nat()), (text, places) => {
        const bytes = bytesOf(text);
        const cuts = [...places.take(8)].map((place) => place % (bytes.length + 1));
        const whole = framesOf(create(), [bytes]);
        expect(framesOf(create(), cut(bytes, cuts))).toEqual(whole);
        expect(
          framesOf(
            create(),
            Array.from(bytes, (byte) => Uint8Array.of(byte)),
          ),
        ).toEqual(whole);
      }),
    );
  });
});

describe("SSE", () => {
  test("F2: ends lines at LF, CR LF and a lone CR", () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      expect(dataOf(["data: 1", "data: 2", "", "data: 3", "", ""].join(end))).toEqual([
        "1\n2",
        "3",
      ]);
    }
  });

  test("F2: a CR LF that is cut in two ends one line", () => {
    const pieces = ["data: 1\r", "\ndata: 2\r", "\n\r", "\ndata: 3\r\n\r\n"].map(bytesOf);
    expect(framesOf(new SseDecoder(), pieces).map(({ data }) => data)).toEqual(["1\n2", "3"]);
  });

  test("keeps what looks like a byte order mark inside the stream", () => {
    const pieces = ["data: a\n\n", "data: b\n", "\uFEFFdata: c\n\n", "data: \uFEFF\n\n"].map(
      bytesOf,
    );
    const frames = framesOf(new SseDecoder(), pieces);
    expect(frames.map(({ data }) => data)).toEqual(["a", "b", "\uFEFF"]);
  });

  test("F3: drops the byte order mark, one space after the colon, and nothing more", () => {
    expect(dataOf("\uFEFFdata:  1\n\ndata:2\n\n\uFEFFdata: 3\n\n")).toEqual([" 1", "2"]);
  });

  test("F3: a field without a colon has an empty value", () => {
    expect(dataOf("data\ndata: 1\ndata\n\n")).toEqual(["\n1\n"]);
  });

  test("F3: only fields of exactly that name count", () => {
    expect(dataOf("database: 1\n data: 2\nDATA: 3\ndata : 4\n\n")).toEqual([]);
  });

  test("F5: passes over comments, ids, retries and events without data", () => {
    expect(dataOf(": hello\n\nid: 1\nretry: 5\nevent: ping\n\ndata:\n\ndata: 1\n\n")).toEqual([
      "1",
    ]);
  });

  test("gives the event's name, and forgets it after the event", () => {
    const frames = framesOf(new SseDecoder(), [bytesOf("event: a\ndata: 1\n\ndata: 2\n\n")]);
    expect(frames).toEqual([
      { event: "a", data: "1" },
      { event: undefined, data: "2" },
    ]);
  });

  test("F10: hands on a last event without its blank line if it is whole", () => {
    for (const end of ["", "\n", "\r", "\r\n"]) {
      expect(dataOf(`data: 1\n\ndata: {"a":1}${end}`)).toEqual(["1", '{"a":1}']);
      expect(dataOf(`data: [DONE]${end}`)).toEqual(["[DONE]"]);
    }
  });

  test("F10: drops a last event that is cut", () => {
    for (const rest of ['data: {"a":1', "data: 12", 'data: {"a":"\u00e9', "data: [1", "dat"]) {
      expect(dataOf(rest)).toEqual([]);
    }
  });

  test("F14: hands on a JSON document that stands between events without `data:`", () => {
    const error = '{\n  "error": {\n    "code": 499\n  }\n}';
    for (const end of ["", "\n", "\n\n", "\ndata: 2\n\n"]) {
      const after = end.includes("2") ? ["2"] : [];
      expect(dataOf(`data: 1\n\n${error}${end}`)).toEqual(["1", error, ...after]);
    }
  });

  test("drops what only begins like a JSON document", () => {
    expect(dataOf("{a: 1\n\ndata: 1\n{\n\ndata: 2\n\n{")).toEqual(["1", "2"]);
  });

  test("gives U+FFFD for bytes that are no UTF-8, and goes on", () => {
    const bytes = Buffer.concat([bytesOf("data: a"), Buffer.of(0xff), bytesOf("b\n\ndata: c\n\n")]);
    expect(framesOf(new SseDecoder(), [bytes]).map(({ data }) => data)).toEqual(["a\uFFFDb", "c"]);
  });

  test("fails on a frame over the limit, in one line or in many", () => {
    const line = Array.from({ length: 20 }, () => bytesOf("x".repeat(10)));
    expect(() => framesOf(new SseDecoder(100), line)).toThrow(/more than 100 bytes/);
    const lines = Array.from({ length: 20 }, () => bytesOf("data: xxxxxxxx\n"));
    expect(() => framesOf(new SseDecoder(100), lines)).toThrow(/more than 100 bytes/);
    const events = Array.from({ length: 20 }, () => bytesOf("data: xxxxxxxx\n\n"));
    expect(framesOf(new SseDecoder(100), events)).toHaveLength(20);
  });
});

test("lines are what the whole would be, decoded and cut at its line ends", () => {
  const byte = fc.oneof(
    fc.constantFrom(10, 13, 0x41, 0x7f, 0xef, 0xbb, 0xbf, 0xe5, 0xa4, 0xa9, 0xf0, 0x9f, 0xc3),
    fc.nat(255),
  );
  const start = fc.constantFrom("", "\uFEFF", "天\n", "a\r\n");
  fc.assert(
    fc.property(
      start,
      fc.array(byte, { maxLength: 40 }),
      fc.array(fc.nat(50)),
      (text, rest, places) => {
        const bytes = Buffer.concat([bytesOf(text), Buffer.from(rest), bytesOf("z")]);
        const lines: string[] = [];
        const blocks = new LineBlocks();
        const onLine = (line: string, from: number, to: number): void =>
          void lines.push(line.slice(from, to));
        for (const piece of cut(bytes, places)) blocks.write(piece, onLine);
        blocks.end(onLine);
        expect(lines).toEqual(new TextDecoder().decode(bytes).split(/\r\n|\r|\n/));
      },
    ),
    { numRuns: 1000 },
  );
});

describe("line ends", () => {
  test("of every kind, mixed and cut anywhere, end the same lines", () => {
    const line = fc.tuple(
      fc.stringMatching(/^[a-zé😀]{0,4}$/u),
      fc.constantFrom("\n", "\r\n", "\r"),
    );
    fc.assert(
      fc.property(fc.array(line), fc.infiniteStream(fc.nat()), (lines, places) => {
        const text = lines.map(([data, end]) => `data:${data}.${end}${end}`).join("");
        const bytes = bytesOf(text);
        const cuts = [...places.take(8)].map((place) => place % (bytes.length + 1));
        const frames = framesOf(new SseDecoder(), cut(bytes, cuts));
        expect(frames.map(({ data }) => data)).toEqual(lines.map(([data]) => `${data}.`));
      }),
    );
  });
});

describe("NDJSON", () => {
  test("L1: reads lines with either end, skips blank ones, and needs no last end", () => {
    const text = '{"a":1}\r\n\n  \n{"a":2}\n{"a":3}';
    expect(dataOf(text, new NdjsonDecoder())).toEqual(['{"a":1}', '{"a":2}', '{"a":3}']);
  });

  test("fails on a line over the limit", () => {
    const pieces = Array.from({ length: 20 }, () => bytesOf("x".repeat(10)));
    expect(() => framesOf(new NdjsonDecoder(100), pieces)).toThrow(/more than 100 bytes/);
  });
});

/** Bytes that are copied to read one line that comes in pieces of seven bytes, and lines after it. */
function bytesCopied(lineBytes: number): number {
  const concat = vi.spyOn(Buffer, "concat");
  const decoder = new NdjsonDecoder();
  const body = bytesOf(`"${"x".repeat(lineBytes)}"\n"y"\n`);
  const places = Array.from({ length: Math.ceil(body.length / 7) }, (_, piece) => piece * 7);
  expect(framesOf(decoder, cut(body, places))).toHaveLength(2);
  const copied = concat.mock.results.map(({ value }) => (value as Buffer).length);
  concat.mockRestore();
  return copied.reduce((sum, bytes) => sum + bytes, 0);
}

test("a long line is copied once, however many pieces it comes in", () => {
  for (const lineBytes of [10_000, 80_000]) {
    expect(bytesCopied(lineBytes)).toBeLessThan(1.01 * lineBytes);
  }
});

test("of a large piece only the line that began before is copied", () => {
  const concat = vi.spyOn(Buffer, "concat");
  const pieces = ['{"a":', `1}\n${'{"b":2}\n'.repeat(10_000)}`].map(bytesOf);
  expect(framesOf(new NdjsonDecoder(), pieces)).toHaveLength(10_001);
  const copied = concat.mock.results.map(({ value }) => (value as Buffer).length);
  concat.mockRestore();
  expect(copied.filter((bytes) => bytes > 0)).toEqual(['{"a":1}\n'.length]);
});
