import { serveCalls } from "../harness/child.js";
import { encodeChunked, type Chunking } from "./chunking.js";
import {
  answerOf,
  characterCount,
  createMessage,
  hashAnswer,
  type MessageSize,
} from "./message.js";
import { ModelServer } from "./model-server.js";
import type { WireName } from "./wires/wire.js";
import { wireOf } from "./wires/wires.js";

/** An answer to serve. */
export interface AnswerRequest {
  readonly wire: WireName;
  readonly chunking: Chunking;
  readonly size: MessageSize;
}

/** An answer that is served. */
export interface ServedAnswer {
  readonly wire: WireName;
  /** A server's base URL; it gives this answer, whatever is asked. */
  readonly url: string;
  /** What a client's answer has to hash to. */
  readonly hash: string;
  /** The same for a client that does not know how this wire thinks. */
  readonly hashWithoutThinking: string;
  /** Frames with JSON in them. */
  readonly events: number;
  /** Of the body, without HTTP's own. */
  readonly bytes: number;
  /** Of thinking, text and arguments. */
  readonly characters: number;
}

const servers = new Map<string, ModelServer>();

serveCalls({
  async serve({ wire: name, chunking, size }: AnswerRequest): Promise<ServedAnswer> {
    const wire = wireOf(name);
    const message = createMessage(size);
    const answer = answerOf(message);
    const frames = wire.frames(message);
    const server = new ModelServer(wire.contentType, encodeChunked(frames, chunking));
    const url = await server.listen();
    servers.set(url, server);
    return {
      wire: name,
      url,
      hash: hashAnswer(answer),
      hashWithoutThinking: hashAnswer({ ...answer, thinking: "" }),
      events: frames.filter((frame) => frame.includes("{")).length,
      bytes: Buffer.byteLength(frames.join("")),
      characters: characterCount(message),
    };
  },
  async remove(url: string): Promise<void> {
    await servers.get(url)?.close();
    servers.delete(url);
  },
});
