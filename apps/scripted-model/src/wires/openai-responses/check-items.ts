import { refusal, refuse } from "../openai/refuse.js";
import { idPrefix, readItemId } from "./item-ids.js";
import type { InputItem, ReasoningItem } from "./request-types.js";
import { openReasoning } from "./sealed-reasoning.js";

/**
 * Checks what the fields alone do not tell: ids of the right kind that occur once, a result for each
 * call and a call for each result, and reasoning that comes back as it was, with the item behind it.
 */
export function checkItems(items: readonly InputItem[], isStateless: boolean): void {
  checkIds(items);
  checkPairing(items);
  items.forEach((item, index) => {
    if (item.type === "reasoning") checkReasoning(item, items[index + 1], isStateless);
    else checkLeader(item, items[index - 1]);
  });
}

function checkIds(items: readonly InputItem[]): void {
  const seen = new Set<string>();
  items.forEach((item, index) => {
    if (typeof item.id !== "string") return;
    const prefix = idPrefix(item.type ?? "message");
    if (prefix !== undefined && !item.id.startsWith(prefix)) {
      refuse(
        `input[${index}].id`,
        `Invalid 'input[${index}].id': '${item.id}'. Expected an ID that begins with '${prefix.slice(0, -1)}'.`,
        "invalid_value",
      );
    }
    if (seen.has(item.id)) {
      refuse(
        "input",
        `Duplicate item found with id ${item.id}. Remove duplicate items from your input and try again.`,
      );
    }
    seen.add(item.id);
  });
}

function checkPairing(items: readonly InputItem[]): void {
  const open = new Set<string>();
  const called = new Set<string>();
  for (const item of items) {
    if (item.type === "function_call") {
      if (called.has(item.call_id)) refuse("input", `Duplicate function call ${item.call_id}.`);
      called.add(item.call_id);
      open.add(item.call_id);
    } else if (item.type === "function_call_output" && !open.delete(item.call_id)) {
      refuse("input", `No tool call found for function call output with call_id ${item.call_id}.`);
    }
  }
  for (const callId of open) refuse("input", `No tool output found for function call ${callId}.`);
}

function checkReasoning(
  item: ReasoningItem,
  follower: InputItem | undefined,
  isStateless: boolean,
): void {
  const { id, encrypted_content: sealed } = item;
  if (typeof sealed === "string") checkSealed(id, sealed);
  else if (readItemId(id)?.isStored !== true) refuseNotFound(id);
  const isFollowed =
    follower !== undefined &&
    isOutput(follower) &&
    // Who sends all of the history may leave out the ids of messages and calls.
    (follower.id ? readItemId(follower.id)?.followsReasoning === true : isStateless);
  if (isFollowed) return;
  refuse(
    "input",
    `Item '${id}' of type 'reasoning' was provided without its required following item.`,
  );
}

function checkSealed(id: string, sealed: string): void {
  const owner = openReasoning(sealed);
  if (owner === id) return;
  const reason =
    owner === undefined
      ? "Encrypted content could not be decrypted or parsed."
      : "Encrypted content item_id did not match the target item id.";
  refuse(
    null,
    `The encrypted content for item ${id} could not be verified. Reason: ${reason}`,
    "invalid_encrypted_content",
  );
}

/** Refuses an item that has lost the reasoning before it. */
function checkLeader(item: InputItem, previous: InputItem | undefined): void {
  if (!item.id || readItemId(item.id)?.followsReasoning !== true) return;
  if (previous?.type === "reasoning") return;
  refuse(
    "input",
    `Item '${item.id}' of type '${item.type ?? "message"}' was provided without its required 'reasoning' item.`,
  );
}

function isOutput(item: InputItem): boolean {
  if (item.type === "function_call_output") return false;
  return "role" in item ? item.role === "assistant" : true;
}

/** Refuses an item that is not stored. */
export function refuseNotFound(id: string): never {
  const hint =
    "Items are not persisted when `store` is set to false. Send all of the item instead.";
  throw refusal(404, `Item with id '${id}' not found. ${hint}`, { param: "input" });
}
