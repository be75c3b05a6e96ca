import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { ToolCallItem } from "../model/item.js";
import type { StandardSchema } from "./standard-schema.js";
import { defineTool, type Tool, ToolDefinitionError } from "./tool.js";
import { type CallOutcome, ToolServer } from "./tool-server.js";

const echo = defineTool({
  name: "echo",
  description: "Says what it is told.",
  input: z.object({ text: z.string().default("nothing"), times: z.int().optional() }),
  execute: ({ text }) => text,
});

function call(name: string, text: string): ToolCallItem {
  return { type: "tool_call", callId: "c1", name, arguments: text };
}

async function outcomeOf(
  server: ToolServer,
  made: ToolCallItem,
  signal: AbortSignal = new AbortController().signal,
): Promise<CallOutcome> {
  const prepared = await server.prepare(made);
  return server.run(prepared, made, { signal, finish: (outcome) => Promise.resolve(outcome) });
}

function serverWith(...tools: Parameters<ToolServer["register"]>[0][]): ToolServer {
  const server = new ToolServer();
  for (const tool of tools) server.register(tool);
  return server;
}

describe("defineTool", () => {
  test("tells the model the input schema, defaults as optional", () => {
    expect(echo.inputSchema).toEqual({
      type: "object",
      properties: {
        text: { type: "string", default: "nothing" },
        times: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
      },
    });
  });

  test.each(["", "1st", "a b", "-x", "a".repeat(65), "naïve", "a.b"])(
    "refuses the name %j, which some provider would refuse",
    (name) => {
      expect(() => defineTool({ ...echoSpec, name })).toThrow(ToolDefinitionError);
    },
  );

  test("refuses an input that is no object schema", () => {
    expect(() => defineTool({ ...echoSpec, input: z.string() })).toThrow("wrap it in z.object");
  });

  test("refuses an input that JSON Schema cannot say, and tells what", () => {
    expect(() => defineTool({ ...echoSpec, input: z.object({ at: z.date() }) })).toThrow(
      "cannot be said in JSON Schema (Date cannot be represented in JSON Schema)",
    );
  });

  test.each(["input", "execute"])("refuses a definition without %s", (name) => {
    const { [name]: _without, ...spec } = { ...echoSpec } as Record<string, unknown>;
    // As a program in JavaScript would.
    const define = (): Tool => defineTool(spec as unknown as Parameters<typeof defineTool>[0]);
    expect(define).toThrow(ToolDefinitionError);
    expect(define).toThrow(`it has no ${name}: give`);
  });
});

describe("defineTool with other schemas", () => {
  const shout: StandardSchema<{ text: string }> = {
    "~standard": {
      version: 1,
      vendor: "homemade",
      validate: (value) =>
        typeof value === "object" &&
        value !== null &&
        "text" in value &&
        typeof value.text === "string"
          ? { value: { text: value.text.toUpperCase() } }
          : { issues: [{ message: "expected a text", path: [{ key: "text" }] }] },
    },
  };
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };

  test("any Standard Schema validates, with its JSON Schema told beside it", async () => {
    const server = serverWith(
      defineTool({ ...echoSpec, input: shout, inputSchema, execute: ({ text }) => text }),
    );
    expect(server.definitions[0]?.inputSchema).toEqual(inputSchema);
    expect(await outcomeOf(server, call("echo", '{"text":"hi"}'))).toMatchObject({ value: "HI" });
    expect(await outcomeOf(server, call("echo", "{}"))).toMatchObject({
      text: expect.stringContaining("text: expected a text"),
    });
  });

  test("one that cannot tell its JSON Schema is refused with the way out", () => {
    expect(() => defineTool({ ...echoSpec, input: shout })).toThrow("pass it as inputSchema");
  });

  test("plain JSON Schema is told as it is and validated", async () => {
    const schema = { ...inputSchema, required: ["text"], $schema: "any" } as const;
    const server = serverWith(
      defineTool({ ...echoSpec, input: schema, execute: (input) => input }),
    );
    expect(server.definitions[0]?.inputSchema).toEqual({ ...inputSchema, required: ["text"] });
    expect(await outcomeOf(server, call("echo", '{"text":"hi"}'))).toMatchObject({
      value: { text: "hi" },
    });
    expect(await outcomeOf(server, call("echo", '{"text":1}'))).toMatchObject({
      code: "invalid_arguments",
      text: expect.stringContaining("text:"),
    });
  });

  test("JSON Schema beyond what can be checked lets objects through, and only those", async () => {
    const server = serverWith(
      defineTool({ ...echoSpec, input: { type: "object", if: {} }, execute: (input) => input }),
    );
    expect(await outcomeOf(server, call("echo", '{"a":1}'))).toMatchObject({ value: { a: 1 } });
    expect(await outcomeOf(server, call("echo", "[]"))).toMatchObject({
      code: "invalid_arguments",
    });
  });

  test("JSON Schema of something else than an object is refused", () => {
    expect(() => defineTool({ ...echoSpec, input: { type: "string" } })).toThrow("object schema");
  });
});

const echoSpec = {
  name: "echo",
  description: "Says what it is told.",
  input: z.object({}),
  execute: () => "",
};

describe("ToolServer", () => {
  test("runs a call with validated input", async () => {
    const outcome = await outcomeOf(serverWith(echo), call("echo", '{"text":"hi"}'));
    expect(outcome).toMatchObject({ ok: true, value: "hi" });
  });

  test.each(["", "  ", "{}"])("takes %j as no arguments", async (text) => {
    const outcome = await outcomeOf(serverWith(echo), call("echo", text));
    expect(outcome).toMatchObject({ ok: true, value: "nothing" });
  });

  test("an unknown tool is answered with the tools there are", async () => {
    const outcome = await outcomeOf(serverWith(echo), call("ecko", "{}"));
    expect(outcome).toMatchObject({ ok: false, code: "unknown_tool" });
    expect(outcome).toMatchObject({ text: expect.stringContaining("echo") });
  });

  test("arguments that are not JSON are answered, not thrown", async () => {
    const outcome = await outcomeOf(serverWith(echo), call("echo", '{"text":'));
    expect(outcome).toMatchObject({ ok: false, code: "invalid_arguments" });
  });

  test("arguments that do not fit are answered with the place and what was expected", async () => {
    const outcome = await outcomeOf(serverWith(echo), call("echo", '{"text":5}'));
    expect(outcome).toMatchObject({ ok: false, code: "invalid_arguments" });
    expect(outcome).toMatchObject({ text: expect.stringMatching(/text: .*string/) });
  });

  test("a tool that throws is answered with its message", async () => {
    const broken = defineTool({
      ...echoSpec,
      execute: () => {
        throw new Error("disk on fire");
      },
    });
    const outcome = await outcomeOf(serverWith(broken), call("echo", "{}"));
    expect(outcome).toMatchObject({ ok: false, code: "failed", text: "disk on fire" });
  });

  test("a tool that hangs is stopped at its limit and told so by its signal", async () => {
    let told: unknown;
    const hanging = defineTool({
      ...echoSpec,
      timeoutMs: 5,
      execute: (_input, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => (told = signal.reason));
        }),
    });
    const outcome = await outcomeOf(serverWith(hanging), call("echo", "{}"));
    expect(outcome).toMatchObject({ ok: false, code: "timeout" });
    expect(told).toMatchObject({ code: "tool_timeout", timeoutMs: 5 });
  });

  test("a validator that hangs is stopped at the tool's limit, or by an abort", async () => {
    const validate = (): Promise<never> => new Promise(() => {});
    const hanging: Tool = { ...echo, validate, timeoutMs: 5 };
    const abort = new AbortController();
    const prepared = [
      serverWith(hanging).prepare(call("echo", "{}")),
      serverWith({ ...echo, validate }).prepare(call("echo", "{}"), { signal: abort.signal }),
    ];
    abort.abort();
    expect(await Promise.all(prepared)).toMatchObject([
      { ok: false, code: "timeout", text: expect.stringContaining("5 ms") },
      { ok: false, code: "aborted" },
    ]);
  });

  test("an abort stops a running call and keeps waiting ones from being begun", async () => {
    const abort = new AbortController();
    let begun = 0;
    const slow = defineTool({
      ...echoSpec,
      execute: () => {
        begun += 1;
        if (begun === 2) abort.abort();
        return new Promise(() => {});
      },
    });
    const server = new ToolServer({ maxConcurrency: 2 });
    server.register(slow);
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map(() => outcomeOf(server, call("echo", "{}"), abort.signal)),
    );
    expect(begun).toBe(2);
    expect(outcomes.map((outcome) => !outcome.ok && outcome.code)).toEqual([
      "aborted",
      "aborted",
      "aborted",
      "aborted",
    ]);
  });

  test("never more calls at once than allowed, and all of them run", async () => {
    let running = 0;
    let most = 0;
    const counting = defineTool({
      ...echoSpec,
      execute: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        return "ok";
      },
    });
    const server = new ToolServer({ maxConcurrency: 3 });
    server.register(counting);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => outcomeOf(server, call("echo", "{}"))),
    );
    expect(most).toBe(3);
    expect(outcomes.every((outcome) => outcome.ok)).toBe(true);
  });

  test.each([0, -1, NaN])("a concurrency of %d is one: calls are not left waiting", async (n) => {
    const server = new ToolServer({ maxConcurrency: n });
    server.register(echo);
    const outcomes = [1, 2].map(() => outcomeOf(server, call("echo", "{}")));
    expect((await Promise.all(outcomes)).every((outcome) => outcome.ok)).toBe(true);
  });

  test("two tools of one name are refused at registration", () => {
    expect(() => serverWith(echo, echo)).toThrow("registered already");
  });
});
