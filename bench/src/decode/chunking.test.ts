import { Agent } from "undici";
import { expect, test } from "vitest";
import { encodeChunked, type Chunking } from "./chunking.js";
import { ModelServer } from "./model-server.js";

const frames = Array.from(
  { length: 2000 },
  (_, number) => `data: {"text":"${number} 東京 🚀"}\n\n`,
);

/** The chunks as they stand in HTTP's coding. */
function chunksOf(encoded: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let start = 0; ;) {
    const lineEnd = encoded.indexOf("\r\n", start);
    const size = Number.parseInt(encoded.toString("latin1", start, lineEnd), 16);
    if (size === 0) return chunks;
    chunks.push(encoded.subarray(lineEnd + 2, lineEnd + 2 + size));
    start = lineEnd + 2 + size + 2;
  }
}

test.each<[Chunking, (sizes: number[]) => void]>([
  ["event", (sizes) => expect(sizes).toHaveLength(frames.length)],
  ["block", (sizes) => expect(sizes.slice(0, -1).every((size) => size === 16_384)).toBe(true)],
  ["fragment", (sizes) => expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([1, 40])],
])("%s: the chunks are as long as they should be and make up the body", (chunking, check) => {
  const chunks = chunksOf(encodeChunked(frames, chunking));
  check(chunks.map(({ length }) => length));
  expect(Buffer.concat(chunks).toString()).toBe(frames.join(""));
});

test("a server answers each request on a connection, and a client can leave at any time", async () => {
  const server = new ModelServer("text/event-stream", encodeChunked(frames, "block"));
  const dispatcher = new Agent({ connections: 1 });
  try {
    const origin = await server.listen();
    const ask = () => dispatcher.request({ origin, path: "/v1/any", method: "POST", body: "{}" });
    for (let turn = 0; turn < 2; turn++) {
      expect(await (await ask()).body.text()).toBe(frames.join(""));
    }
    const { body } = await ask();
    const closed = new Promise((resolve) => body.once("close", resolve));
    body.on("error", () => {}).destroy();
    await closed;
    expect(await (await ask()).body.text()).toBe(frames.join(""));
  } finally {
    await dispatcher.close();
    await server.close();
  }
});
