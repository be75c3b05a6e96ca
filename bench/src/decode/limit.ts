import { StringDecoder } from "node:string_decoder";
import { Agent } from "undici";
import type { WireName } from "./wires/wire.js";

const dispatcher = new Agent();
const BRACE = 123;

/**
 * The least that a client can do: receive the body, decode its text, split it into lines and parse
 * each one's JSON. Nothing is kept.
 *
 * @returns how many events there were
 */
export async function readEvents(url: string, wire: WireName): Promise<number> {
  const { body } = await dispatcher.request({ origin: url, path: "/", method: "POST", body: "{}" });
  const prefix = wire === "ollama" ? "" : "data: ";
  const decoder = new StringDecoder("utf8");
  let events = 0;
  let rest = "";
  const readLine = (line: string): void => {
    if (line.charCodeAt(prefix.length) !== BRACE || !line.startsWith(prefix)) return;
    JSON.parse(prefix === "" ? line : line.slice(prefix.length));
    events += 1;
  };
  for await (const chunk of body) {
    // undici's bodies give bytes.
    const text = decoder.write(chunk as Buffer);
    let end = text.indexOf("\n");
    if (end < 0) {
      rest += text;
      continue;
    }
    readLine(rest + text.slice(0, end));
    let start = end + 1;
    for (end = text.indexOf("\n", start); end >= 0; end = text.indexOf("\n", start)) {
      readLine(text.slice(start, end));
      start = end + 1;
    }
    rest = text.slice(start);
  }
  return events;
}
