import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";

const TEXT = "Hello.";

/** The script; `bench/rivals` is where it finds the rivals. */
export const FIRST_ANSWER: URL = new URL("../../rivals/first-answer.mjs", import.meta.url);

/** Which rivals take part, by the names that the script has for them. */
export const firstAnswerRivals: readonly string[] = ["@anthropic-ai/sdk", "ai", "LangChain"];

/** What a process has spent when it holds the answer. */
export interface FirstAnswerCost {
  readonly cpuMs: number;
  readonly addedRssMb: number;
}

/** A model that gives one short answer to everybody. */
export interface AnswerServer {
  readonly url: string;
  close(): void;
}

/** Starts the model on the loopback. */
export async function startAnswerServer(): Promise<AnswerServer> {
  const body = answerEvents()
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // Listening on a port, so there is one.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

/** @throws Error if the process fails or holds another answer than was given */
export async function firstAnswerCost(
  script: string,
  name: string,
  url: string,
): Promise<FirstAnswerCost> {
  const env = { ...process.env };
  delete env["NODE_OPTIONS"];
  const { stdout } = await promisify(execFile)(process.execPath, [script, name, url], { env });
  // The script is our own and writes last; some rivals write warnings before.
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  const { text, ...cost } = JSON.parse(line) as FirstAnswerCost & { readonly text: unknown };
  if (text !== TEXT) throw new Error(`the answer is ${JSON.stringify(text)}`);
  return cost;
}

interface WireEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

function answerEvents(): readonly WireEvent[] {
  const usage = { input_tokens: 3, output_tokens: 2 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "any",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: TEXT } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}
