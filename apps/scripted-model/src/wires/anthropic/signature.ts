import { createHash } from "node:crypto";

/** The signature of a thinking block: whoever changes the text cannot make the one that fits. */
export function signThinking(thinking: string): string {
  return createHash("sha512").update(`scripted-model thinking\n${thinking}`).digest("base64");
}

/** Whether a thinking block has come back as it was sent. */
export function isSignatureOf(signature: string, thinking: string): boolean {
  return signature === signThinking(thinking);
}
