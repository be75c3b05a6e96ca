import { createHash } from "node:crypto";
import { canonicalJson } from "../../json.js";
import type { FunctionCall } from "./request-types.js";

/** Stand-ins that the provider documents for calls which another model has made. */
const STAND_INS = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

/** The signature of a call; another call needs another one. */
export function signCall({ name, args = {} }: FunctionCall): string {
  return sign(`call ${name} ${canonicalJson(args)}`);
}

/** The signature of a text. It may come back on any part of the text, or on an empty one. */
export function signText(): string {
  return sign("text");
}

/** Whether a call bears its own signature, or a stand-in. */
export function isSignatureOfCall(signature: string, call: FunctionCall): boolean {
  return STAND_INS.includes(signature) || signature === signCall(call);
}

/** Whether a text bears a signature of this server, or a stand-in. */
export function isSignatureOfText(signature: string): boolean {
  return STAND_INS.includes(signature) || signature === signText();
}

function sign(content: string): string {
  return createHash("sha512").update(`scripted-model thought\n${content}`).digest("base64");
}
