import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import type { Random } from "../../random.js";

const CIPHER = "aes-256-gcm";
/** No secret: it only makes sure that nobody but this server can write what it accepts. */
const KEY = createHash("sha256").update("scripted-model reasoning").digest();
/** Version and time, by which the provider's begin with `gAAAAA`. */
const START = Buffer.from([0x80, 0, 0, 0, 0]);
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Reasoning that only this server can read, bound to its item. Each time it looks different. */
export function sealReasoning(itemId: string, text: string, random: Random): string {
  const nonce = Buffer.from(Array.from({ length: NONCE_BYTES }, () => Math.floor(random() * 256)));
  const cipher = createCipheriv(CIPHER, KEY, nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify([itemId, text])), cipher.final()]);
  return Buffer.concat([START, nonce, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** The id of the item that sealed reasoning belongs to; nothing if this server has not sealed it. */
export function openReasoning(content: string): string | undefined {
  const bytes = Buffer.from(content, "base64url").subarray(START.length);
  const sealed = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv(CIPHER, KEY, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const opened = Buffer.concat([decipher.update(sealed), decipher.final()]).toString();
    const [itemId]: unknown[] = JSON.parse(opened);
    return String(itemId);
  } catch {
    return undefined;
  }
}
