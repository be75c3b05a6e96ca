import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Item, ToolResultItem } from "../src/model/item.js";
import { defineTool, type Tool, ToolDefinitionError } from "../src/tool/tool.js";
import { Worker } from "../src/worker/worker.js";
import { FaultyStore } from "./support/faulty-store.js";
import { calls, says, ScriptedProvider } from "./support/scripted-provider.js";

const REPORT: string = Array.from({ length: 500 }, (_, i) => `row ${i + 1}\n`).join("");

const report: Tool = defineTool({
  name: "report",
  description: "Makes the report.",
  input: z.object({}),
  execute: () => REPORT,
});

function mailer(sent: string[]): Tool {
  return defineTool({
    name: "mail",
    description: "Sends a mail.",
    input: z.object({ to: z.string(), body: z.string().describe("What to send.") }),
    blobParameters: ["body"],
    execute: ({ body }) => {
      sent.push(body);
      return `sent ${body.length} characters`;
    },
  });
}

function resultsOf(items: readonly Item[]): ToolResultItem[] {
  return items.filter((item): item is ToolResultItem => item.type === "tool_result");
}

/** A model that makes the report, then mails what `body` makes of its blob id. */
async function mailing(body: (id: string) => string): Promise<{
  readonly sent: readonly string[];
  readonly result: ToolResultItem | undefined;
  readonly largestRequest: number;
}> {
  const sent: string[] = [];
  const provider = new ScriptedProvider(
    calls({ name: "report" }),
    ({ items }) =>
      calls({ name: "mail", input: { to: "a", body: body(resultsOf(items)[0]?.blob?.id ?? "") } }),
    says("ok"),
  );
  const tools = [report, mailer(sent)];
  const worker = new Worker({ provider, tools, store: new FaultyStore() });
  await worker.run("mail the report");
  const largestRequest = Math.max(...provider.requests.map((made) => JSON.stringify(made).length));
  return { sent, result: resultsOf(worker.items)[1], largestRequest };
}

describe("a parameter that takes references", () => {
  test("gets the stored text, which never passes through the model", async () => {
    const { sent, result, largestRequest } = await mailing((id) => `blob:${id}`);
    expect(sent).toEqual([REPORT]);
    expect(result?.summary).toBe(`sent ${REPORT.length} characters`);
    expect(largestRequest).toBeLessThan(4000);
  });

  test("gets the part that a selector names, however the id is written", async () => {
    const { sent } = await mailing((id) => ` [blob:${id}] | lines:2-3 `);
    expect(sent).toEqual(["row 2\nrow 3\n"]);
  });

  test("takes plain text as before, even such as speaks of blobs", async () => {
    const { sent } = await mailing((id) => `see blob:${id} for more`);
    expect(sent[0]).toMatch(/^see blob:/);
  });

  test.each([
    [
      "an id the session has not seen",
      () => "blob:0190a000-0000-7000-8000-999999999999",
      "not seen",
    ],
    ["a selector that does not fit", (id: string) => `blob:${id} | key:x`, "wrong_kind"],
  ])("answers %s, and the tool does not run", async (_name, body, words) => {
    const { sent, result } = await mailing(body);
    expect(sent).toEqual([]);
    expect(result).toMatchObject({ isError: true, summary: expect.stringContaining(words) });
    expect(result?.summary).toContain("parameter body");
  });

  test("is not waited for longer than a store may take", async () => {
    const store = new FaultyStore();
    store.load = () => new Promise(() => {});
    const sent: string[] = [];
    const provider = new ScriptedProvider(
      calls({ name: "report" }),
      ({ items }) =>
        calls({
          name: "mail",
          input: { to: "a", body: `blob:${resultsOf(items)[0]?.blob?.id ?? ""}` },
        }),
      says("ok"),
    );
    const tools = [report, mailer(sent)];
    const worker = new Worker({ provider, tools, store, output: { storeTimeoutMs: 5 } });
    expect(await worker.run("mail the report")).toMatchObject({ status: "finished" });
    expect(sent).toEqual([]);
    expect(resultsOf(worker.items)[1]).toMatchObject({
      isError: true,
      summary: expect.stringMatching(/^parameter body: .*not answered within 5 ms/),
    });
  });

  test("tells the model that it does", () => {
    expect(mailer([]).inputSchema).toMatchObject({
      properties: {
        body: { description: expect.stringMatching(/^What to send\. May be blob:ID/) },
      },
    });
  });

  test("has to be a text parameter of the tool", () => {
    const spec = { name: "t", description: "A tool.", input: z.object({ n: z.number() }) };
    for (const blobParameters of [["n"], ["other"]]) {
      expect(() => defineTool({ ...spec, blobParameters, execute: () => "" })).toThrow(
        ToolDefinitionError,
      );
    }
  });
});
