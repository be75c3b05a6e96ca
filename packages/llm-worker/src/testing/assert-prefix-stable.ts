import type { Scheme } from "../client/scheme.js";
import { LlmWorkerError } from "../errors.js";
import { type Item, userMessage } from "../model/item.js";
import type { LlmRequest } from "../model/request.js";

/** Two requests of a locked session differ in bytes that have to be the same. */
export class PrefixUnstableError extends LlmWorkerError {
  readonly code = "prefix_unstable";
  /** Position of the request in the list. */
  readonly requestIndex: number;
  /** Byte of the body at which it leaves the locked prefix. */
  readonly byte: number;
  constructor(requestIndex: number, byte: number, problem: string) {
    super(`request ${requestIndex} ${problem} at byte ${byte}: the provider's prompt cache misses`);
    this.requestIndex = requestIndex;
    this.byte = byte;
  }
}

/**
 * Fails unless the serialised tools, system prompt and locked items of all locked requests are the
 * same bytes. Requests without a lock are passed over; each new lock begins a new comparison.
 *
 * @throws PrefixUnstableError that names the request and the byte
 * @example
 * const recorder = new RequestRecorder(anthropic({ model }));
 * // … a session with `new Worker({ provider: recorder })` …
 * assertPrefixStable(new AnthropicScheme({ model }), recorder.requests);
 */
export function assertPrefixStable(
  scheme: Pick<Scheme, "buildRequest">,
  requests: readonly LlmRequest[],
): void {
  let locked: { readonly itemCount: number; readonly prefix: Buffer } | undefined;
  for (const [index, request] of requests.entries()) {
    const { lockedItemCount } = request;
    if (lockedItemCount === undefined) {
      locked = undefined;
      continue;
    }
    const body = Buffer.from(String(scheme.buildRequest(request).body));
    if (locked?.itemCount !== lockedItemCount) {
      locked = { itemCount: lockedItemCount, prefix: lockedPrefix(scheme, request) };
    }
    const shared = sharedLength(locked.prefix, body);
    if (shared < locked.prefix.length) {
      throw new PrefixUnstableError(index, shared, "leaves the locked prefix");
    }
  }
}

/**
 * The bytes up to where the last locked item ends: what the body begins with whatever follows, back
 * to the last closing bracket.
 */
function lockedPrefix(scheme: Pick<Scheme, "buildRequest">, request: LlmRequest): Buffer {
  const items = request.items.slice(0, request.lockedItemCount);
  const [first, ...others] = FOLLOWERS.map((follower) =>
    bodyOf(scheme, request, [...items, ...follower]),
  ) as [Buffer, ...Buffer[]];
  const shared = Math.min(...others.map((other) => sharedLength(first, other)));
  return first.subarray(0, first.subarray(0, shared).lastIndexOf("}") + 1);
}

/** What may follow locked items: each begins differently on every wire. */
const FOLLOWERS: readonly (readonly Item[])[] = [
  [userMessage("more")],
  [
    { type: "message", role: "assistant", content: [{ type: "text", text: "more" }] },
    userMessage("more"),
  ],
  [
    { type: "tool_call", callId: "more", name: "more", arguments: "{}" },
    { type: "tool_result", callId: "more", summary: "more" },
  ],
];

function bodyOf(
  scheme: Pick<Scheme, "buildRequest">,
  request: LlmRequest,
  items: LlmRequest["items"],
): Buffer {
  return Buffer.from(String(scheme.buildRequest({ ...request, items }).body));
}

function sharedLength(one: Buffer, other: Buffer): number {
  const length = Math.min(one.length, other.length);
  let shared = 0;
  while (shared < length && one[shared] === other[shared]) shared += 1;
  return shared;
}
