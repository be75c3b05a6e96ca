import { expect, test } from "vitest";
import { BLOB_ID, byteStore } from "../../test/support/byte-store.js";
import type { BlobStoreLike } from "../blob/blob-store.js";
import { OutputLimitsError } from "../errors.js";
import { createInspectTool, type InspectAnswer, type InspectToolOptions } from "./inspect-tool.js";

const context = { callId: "call_1", signal: new AbortController().signal };

async function inspect(options: InspectToolOptions, input: unknown): Promise<InspectAnswer> {
  const tool = createInspectTool(options);
  const validation = await tool.validate(input);
  if (!validation.ok) throw new Error(validation.issues.join("; "));
  return (await tool.execute(validation.input, context)) as InspectAnswer;
}

test("is a tool that reads back, with an input of a blob id and a selector", async () => {
  const tool = createInspectTool({ store: byteStore("text") });
  expect(tool).toMatchObject({ name: "inspect", readsBack: true });
  expect(tool.inputSchema).toMatchObject({
    type: "object",
    properties: { blob_id: { type: "string" }, selector: { type: "string" } },
    required: ["blob_id"],
  });
  expect(await tool.validate({ selector: "lines:1" })).toMatchObject({ ok: false });
  expect(tool.description.length).toBeLessThan(600);
});

test.each([BLOB_ID, `[blob:${BLOB_ID}]`, `blob:${BLOB_ID}`, ` [blob:${BLOB_ID}] `])(
  "takes the id as %j",
  async (blob_id) => {
    const answer = await inspect(
      { store: byteStore("one\ntwo\n") },
      { blob_id, selector: "lines:2" },
    );
    expect(answer).toEqual({
      text: `[blob:${BLOB_ID}] text | lines 2-2 of 2 | bytes 4-8 of 8 | complete\ntwo\n`,
      isError: false,
    });
  },
);

test("F15: an id that the session has not seen does not reach the store", async () => {
  const store = byteStore("secret");
  const isKnownId = (id: string): boolean => id === "another";
  const answer = await inspect({ store, isKnownId }, { blob_id: BLOB_ID });
  expect(answer.isError).toBe(true);
  expect(answer.text).toMatch(/^inspect error \(forbidden_id\): /);
  expect(store.counts.opened).toBe(0);
  const missing = await inspect({ store, isKnownId }, { blob_id: "another" });
  expect(missing.text).toMatch(/^inspect error \(not_found\): .*no longer exists/);
  expect(missing.text).not.toBe(answer.text);
});

test("answers with an error when the store throws outright", async () => {
  const store: BlobStoreLike = {
    store: () => Promise.reject(new Error("no")),
    load: () => {
      throw new Error("down");
    },
    exists: () => Promise.resolve(false),
  };
  const answer = await inspect({ store }, { blob_id: BLOB_ID });
  expect(answer.text).toMatch(/^inspect error \(unavailable\): .*try again/);
});

test("caps its answers", async () => {
  const store = byteStore("漢".repeat(50_000));
  const answer = await inspect({ store, maxAnswerBytes: 2000 }, { blob_id: BLOB_ID });
  expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(2000);
  expect(() => createInspectTool({ store, maxAnswerBytes: 10 })).toThrow(OutputLimitsError);
});
