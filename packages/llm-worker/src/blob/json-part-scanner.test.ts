import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonArrayText, jsonObjectText } from "../../test/support/json-text.js";
import { cut, pieceSizes } from "../../test/support/pieces.js";
import { type JsonMember, JsonPartScanner } from "./json-part-scanner.js";

function scan(json: string, sizes: readonly number[], maxKeyUnits = 1000) {
  const elements: [number, number][] = [];
  const members: JsonMember[] = [];
  const parts = new JsonPartScanner(
    {
      onElement: (start, end) => elements.push([start, end]),
      onMember: (member) => members.push(member),
    },
    { maxKeyUnits },
  );
  for (const piece of cut(Buffer.from(json), sizes)) parts.write(piece);
  return { isJson: parts.end(), elements, members };
}

test("reads each key as JSON.parse does, wherever it is cut", () => {
  fc.assert(
    fc.property(jsonObjectText, pieceSizes, (json, sizes) => {
      const bytes = Buffer.from(json);
      const { isJson, members, elements } = scan(json, sizes);
      expect(isJson).toBe(true);
      expect(elements).toEqual([]);
      for (const { key, keyStart, keyEnd, start, firstByte } of members) {
        expect(key).toBe(JSON.parse(bytes.toString("utf8", keyStart, keyEnd)));
        expect(firstByte).toBe(bytes[start]);
      }
      const last = new Map(
        members.map(({ key, start, end }) => [
          key,
          JSON.parse(bytes.toString("utf8", start, end)) as unknown,
        ]),
      );
      expect(Object.fromEntries(last)).toEqual(JSON.parse(json));
    }),
  );
});

test("the elements of an array are not members", () => {
  fc.assert(
    fc.property(jsonArrayText, pieceSizes, (json, sizes) => {
      const { elements, members } = scan(json, sizes);
      expect(elements).toHaveLength((JSON.parse(json) as unknown[]).length);
      expect(members).toEqual([]);
    }),
  );
});

test("a key that is too long is reported without its text, by what it stands for", () => {
  const escaped = "\\u006b".repeat(3);
  const { members } = scan(`{"kkkk":1,"${escaped}":2,"${"k".repeat(99)}":3,"漢漢漢":4}`, [4], 3);
  expect(members.map(({ key }) => key)).toEqual([undefined, "kkk", undefined, "漢漢漢"]);
});
