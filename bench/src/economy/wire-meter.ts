/** Prices in units of one uncached input token. */
export const PRICES = { cacheRead: 0.1, cacheWrite: 1.25, output: 5 } as const;

/** A token is taken for so many bytes of the request body, whatever is in them. */
export const BYTES_PER_TOKEN = 4;

/** What one session has sent and what it would cost. Bytes of request bodies; cost in input tokens. */
export interface WireFigures {
  readonly requests: number;
  readonly sentBytes: number;
  /** Of `sentBytes`: what the provider's cache has from the request before. */
  readonly cachedBytes: number;
  readonly outputBytes: number;
  readonly cost: number;
}

/**
 * Counts request bodies and prices them with an ideal prefix cache: what a body has in common with
 * the one before, from its first byte on, is read from the cache, all the rest is written to it.
 */
export class WireMeter {
  #last: Buffer = Buffer.alloc(0);
  #requests = 0;
  #sentBytes = 0;
  #cachedBytes = 0;
  #outputBytes = 0;

  /** @returns the tokens of the request */
  addRequest(body: string): { readonly tokens: number; readonly cachedTokens: number } {
    const bytes = Buffer.from(body);
    const cachedBytes = commonPrefixBytes(this.#last, bytes);
    this.#last = bytes;
    this.#requests += 1;
    this.#sentBytes += bytes.length;
    this.#cachedBytes += cachedBytes;
    return { tokens: toTokens(bytes.length), cachedTokens: toTokens(cachedBytes) };
  }

  addOutput(text: string): void {
    this.#outputBytes += Buffer.byteLength(text);
  }

  get figures(): WireFigures {
    const writtenBytes = this.#sentBytes - this.#cachedBytes;
    const cost =
      (this.#cachedBytes * PRICES.cacheRead +
        writtenBytes * PRICES.cacheWrite +
        this.#outputBytes * PRICES.output) /
      BYTES_PER_TOKEN;
    return {
      requests: this.#requests,
      sentBytes: this.#sentBytes,
      cachedBytes: this.#cachedBytes,
      outputBytes: this.#outputBytes,
      cost: Math.round(cost),
    };
  }
}

const CHUNK_BYTES = 16_384;

/** How many bytes two bodies have in common from the start. */
export function commonPrefixBytes(a: Uint8Array, b: Uint8Array): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at + CHUNK_BYTES <= end) {
    const next = at + CHUNK_BYTES;
    if (Buffer.compare(a.subarray(at, next), b.subarray(at, next)) !== 0) break;
    at = next;
  }
  while (at < end && a[at] === b[at]) at += 1;
  return at;
}

function toTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
