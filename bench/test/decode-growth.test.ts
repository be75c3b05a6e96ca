import { collectItems, kinds, Timeline, userMessage } from "llm-worker";
import { expect, test, vi } from "vitest";
import { encodeChunked } from "../src/decode/chunking.js";
import { answerOf, characterCount, createMessage, hashAnswer } from "../src/decode/message.js";
import { ModelServer } from "../src/decode/model-server.js";
import { createProvider, toAnswer } from "../src/decode/product.js";
import type { Wire } from "../src/decode/wires/wire.js";
import { wires } from "../src/decode/wires/wires.js";
import { shapes } from "../src/deltas/shapes.js";

/** What reading an answer has taken, counted instead of timed. */
interface Work {
  readonly frames: number;
  readonly bodyChars: number;
  /** Of thinking, text and arguments. */
  readonly answerChars: number;
  /** Characters given to JSON.parse, and made by JSON.stringify. */
  readonly jsonChars: number;
  /** Deltas that a handler was given, and the characters in them. */
  readonly deltas: number;
  readonly deltaChars: number;
}

async function readCounted(wire: Wire, size: Parameters<typeof createMessage>[0]): Promise<Work> {
  const message = createMessage(size);
  const frames = wire.frames(message);
  const server = new ModelServer(wire.contentType, encodeChunked(frames, "fragment"));
  const timeline = new Timeline();
  const slots = collectItems(timeline);
  let [jsonChars, deltas, deltaChars] = [0, 0, 0];
  for (const kind of [kinds.textBlock, kinds.thinkingBlock, kinds.toolUseBlock]) {
    timeline.on<{ readonly type: string; readonly text?: string }, undefined>(kind, {
      open: () => undefined,
      on: (_scope, event) => {
        if (event.type !== "block_delta") return;
        deltas += 1;
        deltaChars += event.text?.length ?? 0;
      },
    });
  }
  const provider = createProvider(wire.name, await server.listen());
  const request = { tools: [], items: [userMessage("Write the files.")] };
  const parse = vi.spyOn(JSON, "parse");
  const stringify = vi.spyOn(JSON, "stringify");
  try {
    for await (const batch of provider.stream(request)) {
      for (const event of batch) timeline.dispatch(event);
    }
    for (const [text] of parse.mock.calls) jsonChars += text.length;
    for (const { value } of stringify.mock.results) jsonChars += String(value).length;
  } finally {
    parse.mockRestore();
    stringify.mockRestore();
    await server.close();
  }
  expect(hashAnswer(toAnswer(slots.items))).toBe(hashAnswer(answerOf(message)));
  return {
    frames: frames.length,
    bodyChars: frames.join("").length,
    answerChars: characterCount(message),
    jsonChars,
    deltas,
    deltaChars,
  };
}

test.each(
  wires.flatMap((wire) => shapes.map((shape) => [wire.name, shape.name, wire, shape] as const)),
)("%s, %s: the work is as much as the answer is long", async (_wire, _shape, wire, shape) => {
  for (const deltas of [240, 960]) {
    const work = await readCounted(wire, shape.sizeOf(deltas));
    // Each character is parsed once; arguments that come as values are written once as text.
    expect(work.jsonChars).toBeLessThan(2 * work.bodyChars);
    expect(work.deltas).toBeLessThanOrEqual(work.frames);
    expect(work.deltaChars).toBe(work.answerChars);
  }
});
