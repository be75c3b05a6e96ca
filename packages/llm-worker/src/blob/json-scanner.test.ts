import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  brokenJsonBytes,
  jsonArrayText,
  jsonObjectText,
  jsonText,
} from "../../test/support/json-text.js";
import { cut, pieceSizes } from "../../test/support/pieces.js";
import { jsonTypeOf } from "./json-bytes.js";
import { JsonScanner } from "./json-scanner.js";
import type { JsonScannerOptions } from "./json-visitor.js";
import { MAX_JSON_DEPTH } from "./scan-memory.js";

const WHOLE = [Infinity];

interface Found {
  readonly isJson: boolean;
  readonly keys: readonly string[];
  readonly values: readonly string[];
  readonly scanner: JsonScanner;
}

function scan(
  json: string | Buffer,
  sizes: readonly number[] = WHOLE,
  options?: JsonScannerOptions,
): Found {
  const bytes = Buffer.from(json);
  const base = options?.base ?? 0;
  const keys: string[] = [];
  const values: string[] = [];
  const scanner = new JsonScanner(
    {
      onKey: (_depth, start, end) => keys.push(bytes.toString("utf8", start - base, end - base)),
      onValue: (start, end, firstByte) => {
        expect(firstByte).toBe(bytes[start - base]);
        values.push(bytes.toString("utf8", start - base, end - base));
      },
    },
    options,
  );
  for (const piece of cut(bytes, sizes)) scanner.write(piece);
  return { isJson: scanner.end(), keys, values, scanner };
}

function isJson(text: string): boolean {
  const scanner = new JsonScanner();
  scanner.write(Buffer.from(text));
  return scanner.end();
}

function parses(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}

describe("JsonScanner", () => {
  test("takes what JSON.parse takes, wherever it is cut", () => {
    fc.assert(
      fc.property(jsonText, pieceSizes, (json, sizes) => {
        expect(scan(json, sizes).isJson).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("refuses what JSON.parse refuses, wherever it is cut", () => {
    fc.assert(
      fc.property(brokenJsonBytes, pieceSizes, (bytes, sizes) => {
        expect(scan(bytes, sizes).isJson).toBe(parses(bytes));
      }),
      { numRuns: 1000 },
    );
  });

  test("agrees with JSON.parse on each short text of an alphabet that says a lot", () => {
    const alphabet = [
      "[",
      "]",
      "{",
      "}",
      ",",
      ":",
      '"',
      "\\",
      "0",
      "1",
      "-",
      ".",
      "e",
      " ",
      "null",
    ];
    let texts = [""];
    for (let length = 1; length <= 4; length++) {
      texts = texts.flatMap((text) => alphabet.map((letter) => text + letter));
      const different = texts.filter((text) => isJson(text) !== parses(Buffer.from(text)));
      expect(different).toEqual([]);
    }
  });

  test.each([
    [
      "01",
      "1.",
      ".5",
      "-",
      "+1",
      "1e",
      "1e+",
      "0x1",
      "1_0",
      "Infinity",
      "NaN",
      "--1",
      "1.e1",
      "- 1",
    ],
    ["tru", "truE", "nulll", "undefined", "True", "nul"],
    ['"\n"', '"\t"', '"\u0000"', '"\u001f"', '"\\x"', '"\\u12"', '"\\u12g4"', "'a'", '"', '"\\"'],
    ["", " ", "[1] x", "{} {}", "[1,]", "[,1]", '{"a":1,}', "{a:1}", "{1:1}", '{"a"}', '{"a":}'],
    [
      "[1 2]",
      "[}",
      "{]",
      "]",
      '{"a":1]',
      "[1",
      '{"a":1',
      "\ufeff[]",
      "[\u00a01]",
      "//c\n1",
      "[1]]",
    ],
  ])("refuses %j and its like", (...texts) => {
    for (const text of texts) {
      expect([text, scan(text).isJson, scan(text, [1]).isJson]).toEqual([text, false, false]);
    }
  });

  test("finds the elements of an array, wherever it is cut", () => {
    fc.assert(
      fc.property(jsonArrayText, pieceSizes, (json, sizes) => {
        const found = scan(json, sizes);
        expect(found.scanner.rootType).toBe("array");
        expect(found.keys).toEqual([]);
        expect(found.values.map((part) => JSON.parse(part) as unknown)).toEqual(JSON.parse(json));
        expect(found.values.map((part) => part.trim())).toEqual(found.values);
      }),
    );
  });

  test("finds the members of an object in order, duplicates included, wherever it is cut", () => {
    fc.assert(
      fc.property(jsonObjectText, pieceSizes, (json, sizes) => {
        const { keys, values, scanner } = scan(json, sizes);
        expect(scanner.rootType).toBe("object");
        const members = keys.map((key, position) => `${key}:${values[position]}`);
        expect(values).toHaveLength(keys.length);
        expect(JSON.parse(`{${members.join(",")}}`)).toEqual(JSON.parse(json));
      }),
    );
  });

  test("finds the same wherever the parts lie in a long text", () => {
    const places = fc.integer({ min: 0, max: 40_000 });
    fc.assert(
      fc.property(fc.oneof(jsonArrayText, jsonObjectText), places, places, (json, pad, size) => {
        const { isJson: whole, keys, values } = scan(json);
        const padded = `${" ".repeat(pad)}${json}${" ".repeat(10)}`;
        expect(scan(padded, [size + 1])).toMatchObject({ isJson: whole, keys, values });
      }),
    );
    for (let pad = 2020; pad < 2050; pad++) {
      const json = '["\\u00e9\\n\\"",true,-1.5e3,null,{"\\ud83d\\ude00":[]}]';
      expect(scan(" ".repeat(pad) + json).values).toEqual(scan(json).values);
    }
  });

  test("says how many parts an element has that is an array or object", () => {
    fc.assert(
      fc.property(jsonArrayText, pieceSizes, (json, sizes) => {
        const counts: number[] = [];
        const scanner = new JsonScanner({
          onValue: (_start, _end, firstByte, partCount) => {
            if (firstByte === 0x5b || firstByte === 0x7b) counts.push(partCount);
          },
        });
        for (const piece of cut(Buffer.from(json), sizes)) scanner.write(piece);
        const containers = scan(json).values.filter((part) => /^[[{]/.test(part));
        expect(counts).toEqual(containers.map((part) => scan(part).values.length));
      }),
    );
  });

  test("says how many parts the whole has, and of which types, also of parts that are left out", () => {
    fc.assert(
      fc.property(fc.oneof(jsonArrayText, jsonObjectText), pieceSizes, (json, sizes) => {
        const { values } = scan(json);
        const piecesWithParts = new Set<number>();
        let pieceCount = 0;
        const scanner: JsonScanner = new JsonScanner({
          onValue: () => {
            piecesWithParts.add(pieceCount);
            scanner.leaveOutParts();
          },
        });
        for (const piece of cut(Buffer.from(json), sizes)) {
          scanner.write(piece);
          pieceCount++;
        }
        expect(scanner.end()).toBe(true);
        expect(scanner.partCount).toBe(values.length);
        const typesOf = (bytes: readonly number[]): Set<unknown> => new Set(bytes.map(jsonTypeOf));
        const firstBytes = values.map((part) => part.charCodeAt(0));
        expect([...typesOf(scanner.firstBytes)]).toEqual([...typesOf(firstBytes)]);
        expect(piecesWithParts.size).toBe(Math.min(1, values.length));
      }),
      { numRuns: 300 },
    );
  });

  test("marks the same places in large arrays and objects, wherever it is cut", () => {
    const marksOf = (json: string, sizes: readonly number[]): readonly unknown[] => {
      const marks: unknown[] = [];
      const scanner = new JsonScanner({
        marks: {
          spacing: 16,
          onMark: (...mark) => marks.push(mark),
          onEnd: (...end) => marks.push(end),
          wantsKeys: () => false,
          onKeys: () => undefined,
        },
      });
      for (const piece of cut(Buffer.from(json), sizes)) scanner.write(piece);
      return marks;
    };
    fc.assert(
      fc.property(fc.oneof(jsonArrayText, jsonObjectText), pieceSizes, (json, sizes) => {
        const nested = `[${json},{"a":[${json},${json}],"b":${json}},${json}]`;
        expect(marksOf(nested, sizes)).toEqual(marksOf(nested, WHOLE));
      }),
      { numRuns: 300 },
    );
  });

  test("reports a scalar as a whole, without the space around it", () => {
    for (const json of [' "a" ', "\n-1.5e3", "true\t", " 0 "]) {
      const { values, scanner } = scan(json, [1]);
      expect(values).toEqual([json.trim()]);
      expect(scanner.rootType).toBeUndefined();
    }
    expect(scan("[]").values).toEqual([]);
    expect(scan(" {} ").values).toEqual([]);
  });

  test("offsets count from the base that it is given", () => {
    expect(scan('{"a":[1,2],"b":3}', [3], { base: 1000 }).values).toEqual(["[1,2]", "3"]);
  });

  test("takes a token that was cut for nothing but a token", () => {
    for (const token of ["true", '"\\u00e9"', "-1.5e+3"]) {
      for (let cutAt = 1; cutAt < token.length; cutAt++) {
        const json = `[${token.slice(0, cutAt)}`;
        expect(scan(json).isJson).toBe(false);
        expect(scan(json).scanner.openValueStart).toBe(1);
        expect(scan(`${json}\u0000]`, [json.length]).scanner.failure).toBe("syntax");
        expect(scan(`[${token}]`, [json.length]).values).toEqual([token]);
      }
    }
  });

  test("begins in the middle of an array and ends with it", () => {
    const found = scan(' 2,[3],"4"] ', [2], { at: "element" });
    expect(found).toMatchObject({ isJson: true, values: ["2", "[3]", '"4"'] });
    expect(scan("2}", WHOLE, { at: "element" }).isJson).toBe(false);
  });

  test("stops where a visitor tells it to, and looks at nothing behind", () => {
    const values: number[] = [];
    const scanner: JsonScanner = new JsonScanner({
      onValue: (start) => {
        values.push(start);
        if (values.length === 2) scanner.stop();
      },
    });
    scanner.write(Buffer.from("[1,2,3"));
    scanner.write(Buffer.from("not JSON"));
    expect(scanner.done).toBe(true);
    expect(scanner.position).toBe(14);
    expect(scanner.failure).toBeUndefined();
    expect(values).toEqual([1, 3]);
  });

  test("skips to the end of the value that it is in", () => {
    const values: [number, number][] = [];
    const scanner = new JsonScanner({ onValue: (start, end) => values.push([start, end]) });
    scanner.write(Buffer.from('{"a":[[{"b":"'));
    expect(scanner.openValueStart).toBe(5);
    scanner.skipValue(1_000_000);
    expect(scanner.openValueStart).toBeUndefined();
    scanner.write(Buffer.from(',"c":"long'));
    expect(scanner.openValueStart).toBe(1_000_005);
    scanner.skipValue(2_000_000);
    scanner.write(Buffer.from("}"));
    expect(scanner.end()).toBe(true);
    expect(values).toEqual([
      [5, 1_000_000],
      [1_000_005, 2_000_000],
    ]);
  });

  test("100,000 brackets are no problem, closed or not", () => {
    expect(scan("[".repeat(100_000)).scanner.failure).toBeUndefined();
    expect(scan("[".repeat(100_000) + "]".repeat(100_000)).isJson).toBe(true);
    expect(scan('{"a":'.repeat(100_000) + "1" + "}".repeat(100_000)).isJson).toBe(true);
  });

  test("deeper nesting than the limit is called so", () => {
    expect(scan("[".repeat(MAX_JSON_DEPTH)).scanner.failure).toBeUndefined();
    expect(scan("[".repeat(MAX_JSON_DEPTH + 1)).scanner.failure).toBe("too_deep");
    expect(scan("[[[]]]", WHOLE, { maxDepth: 2 }).scanner.failure).toBe("too_deep");
    expect(scan("[x").scanner.failure).toBe("syntax");
  });
});
