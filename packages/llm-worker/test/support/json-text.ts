import fc from "fast-check";

const space = fc.constantFrom("", "", "", " ", "\n  ", "\r\n", "\t");
const number = fc.constantFrom(
  "0",
  "-0",
  "7",
  "-12.50",
  "1e5",
  "1E+2",
  "2.5e-3",
  "12345678901234567890",
  "1e9999",
);
const character = fc.constantFrom(
  "a",
  "k",
  "\\u006b",
  "漢",
  "😀",
  "é",
  "\\n",
  '\\"',
  "\\\\",
  "\\/",
  "\\ud83d\\ude00",
  "\\ud800",
  ..."{}[]:, 0",
);

/** String literals with escapes, lone surrogates, and characters that look like structure. */
export const stringLiteral: fc.Arbitrary<string> = fc
  .oneof(
    fc.array(character, { maxLength: 6 }),
    fc.array(character, { minLength: 20, maxLength: 60 }),
  )
  .map((characters) => `"${characters.join("")}"`);

const scalar = fc.oneof(number, fc.constantFrom("true", "false", "null"), stringLiteral);

const { value, array, object } = fc.letrec<{ value: string; array: string; object: string }>(
  (tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      scalar,
      tie("array"),
      tie("object"),
    ),
    array: joined("[", tie("value"), "]"),
    object: joined(
      "{",
      fc.tuple(stringLiteral, space, space, tie("value")).map((parts) => {
        const [key, before, after, member] = parts;
        return `${key}${before}:${after}${member}`;
      }),
      "}",
    ),
  }),
);

function joined(open: string, part: fc.Arbitrary<string>, close: string): fc.Arbitrary<string> {
  const spaced = fc.tuple(space, part, space).map((parts) => parts.join(""));
  return fc
    .tuple(fc.array(spaced, { maxLength: 5 }), space)
    .map(([parts, gap]) => `${open}${parts.length === 0 ? gap : parts.join(",")}${close}`);
}

/** JSON as no serializer writes it: spaced at random, with duplicate keys and odd escapes. */
export const jsonText: fc.Arbitrary<string> = value;
export const jsonArrayText: fc.Arbitrary<string> = array;
export const jsonObjectText: fc.Arbitrary<string> = object;

/** The same text with a byte or two changed, removed, doubled or added. */
export const brokenJsonBytes: fc.Arbitrary<Buffer> = fc
  .tuple(
    jsonText,
    fc.array(
      fc.record({
        place: fc.double({ min: 0, max: 1, noNaN: true }),
        removed: fc.nat({ max: 2 }),
        added: fc.constantFrom(
          "",
          "",
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          '"',
          "\\",
          "0",
          ".",
          "e",
          "-",
          "\0",
          "\n",
          "x",
          "\u00a0",
        ),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  )
  .map(([text, changes]) => {
    let bytes = Buffer.from(text);
    for (const { place, removed, added } of changes) {
      const at = Math.floor(place * bytes.length);
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(added),
        bytes.subarray(at + removed),
      ]);
    }
    return bytes;
  });
