import { expect, test } from "vitest";
import { messageText } from "../model/item.js";
import { vanishedNote } from "./vanished-blobs.js";

test("of many blobs that have vanished a few are named, and the others counted", () => {
  const refs = Array.from({ length: 23 }, (_, i) => ({
    id: `blob-${i}`,
    kind: "text" as const,
    byteCount: 900 + i,
    ...(i === 0 ? { count: 7 } : {}),
  }));
  const [, first, second, ...others] = messageText(vanishedNote(refs)).split("\n");
  expect(first).toBe("[blob:blob-0] text | 7 | 900 bytes");
  expect(second).toBe("[blob:blob-1] text | 901 bytes");
  expect(others).toHaveLength(19);
  expect(others.at(-1)).toBe("and 3 more");
  expect(messageText(vanishedNote(refs.slice(0, 20)))).not.toContain("more");
});
