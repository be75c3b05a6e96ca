import { expect, test } from "vitest";
import { type Item, messageText, userMessage } from "../model/item.js";
import type { ByteLog } from "./byte-log.js";
import type { ConversationMessage } from "./conversation.js";
import { HistoryWriter, type MessagesWriter } from "./history-writer.js";

const user = userMessage;
const said = (text: string): Item => ({ ...userMessage(text), role: "assistant" });

/** Writes `u:a u:b a:c |`, and counts the items. */
class CountingWriter implements MessagesWriter {
  static count = 0;

  write(messages: readonly ConversationMessage[], out: ByteLog): void {
    for (const { role, entries } of messages) {
      for (const { item } of entries) {
        CountingWriter.count += 1;
        out.append(`${role[0]}:${item.type === "message" ? messageText(item) : item.type} `);
      }
    }
  }

  writeEnd(messages: readonly ConversationMessage[], out: ByteLog): void {
    this.write(messages, out);
    out.append("|");
  }

  fork(): this {
    return this;
  }
}

/** Sends histories, and tells what was sent and how many items were written for that. */
function createSender(): (items: readonly Item[]) => { text: string; count: number } {
  const history = new HistoryWriter(() => new CountingWriter());
  return (items) => {
    CountingWriter.count = 0;
    const { closed, open } = history.write(items);
    const text = Buffer.concat([...closed.pieces(), ...open.pieces()]).toString();
    return { text, count: CountingWriter.count };
  };
}

const exchanges = (count: number): Item[] =>
  Array.from({ length: count }, (_, n) => [user(`q${n}`), said(`a${n}`)]).flat();

test("a turn writes the exchange that it closes and what is new, however long the history is", () => {
  for (const length of [10, 1000]) {
    const send = createSender();
    const items = exchanges(length);
    expect(send(items).count).toBe(2 * length);
    for (let turn = 0; turn < 3; turn += 1) {
      items.push(user("more"), said("yes"));
      const { text, count } = send(items);
      expect(count).toBeLessThanOrEqual(4);
      expect(text).toBe(createSender()(items).text);
    }
    expect(send(items).count).toBeLessThanOrEqual(2);
  }
});

test("it is known again in another list, and beside one that begins alike", () => {
  const send = createSender();
  const begin = exchanges(50);
  send(begin);
  expect(send([...begin, user("x")]).count).toBeLessThan(4);
  const [one, other] = [[...begin], [...begin]];
  one.push(user("one"), said("1"));
  other.push(user("other"), said("2"));
  send(one);
  send(other);
  one.push(user("more"));
  other.push(user("more"));
  expect(send(one).text).toMatch(/u:one a:1 u:more \|$/);
  const { text, count } = send(other);
  expect(text).toMatch(/u:other a:2 u:more \|$/);
  expect(count).toBeLessThan(4);
});

test("items that were only in one request leave no trace", () => {
  const send = createSender();
  expect(send([user("a"), user("hint")]).text).toBe("u:a u:hint |");
  expect(send([user("a"), said("b"), user("hint")]).text).toBe("u:a a:b u:hint |");
  expect(send([user("a"), said("b"), user("c"), said("d")]).text).toBe("u:a a:b u:c a:d |");
});

test("a changed item, a rewind and an exchange that is open again are written anew", () => {
  const send = createSender();
  const [first, answer, ...others] = [user("a"), said("b"), user("c"), said("d")];
  expect(send([first!, answer!, ...others]).text).toBe("u:a a:b u:c a:d |");
  expect(send([first!, said("B"), ...others]).text).toBe("u:a a:B u:c a:d |");
  expect(send([first!]).text).toBe("u:a |");
  send([first!, answer!]);
  expect(send([first!, user("and"), answer!]).text).toBe("u:a u:and a:b |");
  expect(send([]).text).toBe("|");
});

test("what waits for a later item is written again until that has come", () => {
  class Waiting extends CountingWriter {
    createPairing(): { add(messages: readonly ConversationMessage[]): boolean } {
      let text = "";
      return {
        add(messages) {
          for (const { entries } of messages) {
            for (const { item } of entries)
              text += item.type === "message" ? messageText(item) : "";
          }
          return text.includes("(") === text.includes(")");
        },
      };
    }
  }
  const history = new HistoryWriter(() => new Waiting());
  const kept = (items: readonly Item[]): string =>
    Buffer.concat(history.write(items).closed.pieces()).toString();
  const items = [user("a"), said("("), user("b"), said("c"), user("d"), said("e")];
  expect(kept(items)).toBe("u:a ");
  items.push(user(")"), said("f"));
  expect(kept(items)).toBe("u:a a:( u:b a:c u:d a:e u:) ");
});

test("a history of which an item cannot be written is written anew the next time", () => {
  const send = createSender();
  const items = [user("a"), said("b"), user("c"), said("d")];
  const broken = [...items.slice(0, 2), { ...user("c"), content: null as never }, said("d")];
  for (const list of [items, [...items]]) {
    expect(() => send(broken)).toThrow(TypeError);
    expect(send(list).text).toBe("u:a a:b u:c a:d |");
  }
});
