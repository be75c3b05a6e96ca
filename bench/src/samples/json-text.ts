/** How the parts of a JSON text lie. */
export type JsonLayout =
  /** An array of flat records of about 200 bytes. */
  | "records"
  /** An object around an array of records that hold objects and arrays. */
  | "nested"
  /** An object with a member for each record. */
  | "members"
  /** An array of strings of about 2 KB, with escapes. */
  | "strings"
  /** A record on each line. */
  | "ndjson";

/** All there are. */
export const JSON_LAYOUTS: readonly JsonLayout[] = [
  "records",
  "nested",
  "members",
  "strings",
  "ndjson",
];

/** A JSON text, or NDJSON, of this layout and about so many bytes; all of it is ASCII. */
export function jsonBytes(layout: JsonLayout, byteCount: number): Buffer {
  const { open, part, separator, close } = layouts[layout];
  const bytes = Buffer.alloc(byteCount + 16_384);
  let length = bytes.write(open);
  for (let number = 0; length < byteCount; number += 1) {
    if (number > 0) length += bytes.write(separator, length, "latin1");
    length += bytes.write(part(number), length, "latin1");
  }
  length += bytes.write(close, length, "latin1");
  return bytes.subarray(0, length);
}

interface Layout {
  readonly open: string;
  readonly part: (number: number) => string;
  readonly separator: string;
  readonly close: string;
}

const layouts: Readonly<Record<JsonLayout, Layout>> = {
  records: { open: "[", part: record, separator: ",", close: "]" },
  nested: {
    open: '{"took":31,"result":{"items":[',
    part: (number) =>
      `{"id":${number},"path":["a",${number % 7},{"deep":[1,2,[3,${number}]]}],"meta":{"owner":{"name":"user-${number % 997}","tags":["x","y"]},"size":${number * 13}}}`,
    separator: ",",
    close: '],"next":null}}',
  },
  members: {
    open: "{",
    part: (number) => `"item-${String(number).padStart(8, "0")}":${record(number)}`,
    separator: ",",
    close: "}",
  },
  strings: {
    open: "[",
    part: (number) => JSON.stringify(`entry ${number}:\n${'said "so" and went on. '.repeat(90)}`),
    separator: ",\n  ",
    close: "]",
  },
  ndjson: { open: "", part: record, separator: "\n", close: "\n" },
};

function record(number: number): string {
  return `{"id":${number},"name":"record ${number}","price":${number % 1000}.25,"active":${number % 3 === 0},"tag":null,"text":"a sentence about thing ${number % 613} that is neither short nor very long","at":"2031-07-04T11:22:33Z"}`;
}
