import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText } from "../../test/support/json-text.js";
import { cut, pieceSizes } from "../../test/support/pieces.js";
import { JsonMachine, MachineState } from "./json-machine.js";
import { JsonScanner } from "./json-scanner.js";
import { MAX_FILTERED_KEYS } from "./key-blocks.js";
import { byText } from "./key-search.js";
import { MAX_INDEXED_KEY_UNITS } from "./member-indexer.js";
import {
  EVENT_BYTES,
  EVENTS_AT,
  FILTER_AT,
  FILTER_BYTES,
  FILTER_HASHES_AT,
  FIRST_BYTES_AT,
  KEY_DEPTH_AT,
  KEY_HASHES_AT,
  KEY_TEXT_BYTES,
  MAX_COLLECTED_BYTES,
  MAX_HELD_BYTES,
  MAX_JSON_DEPTH,
  MAX_KEY_HASHES,
  MEMBER_KEYS_AT,
  MEMBER_PLACES_AT,
  OUTER_COMMAS_AT,
  SLICE_AT,
  SLICE_BYTES,
  STACK_AT,
  STARTS_AT,
  STATE_BYTES,
  COUNTED_DEPTH,
  WANTS_MEMBERS_I32,
} from "./scan-memory.js";

test("its code is what its source gives", { timeout: 120_000 }, async () => {
  const script = fileURLToPath(new URL("../../../../tools/compile-wasm.mjs", import.meta.url));
  const checked = promisify(execFile)(process.execPath, [script, "--check"]);
  await expect(checked).resolves.toBeDefined();
});

/** `"`, `-`, three times digits, `[`, `{`, `f`, `n` and `t`. */
const MAX_FIRST_BYTES = 10;
/** `"":0,` */
const MIN_MEMBER_BYTES = 5;

test("what is in its memory has room", () => {
  const { bytes } = JsonMachine.of(new MachineState());
  const sliceBytes = MAX_HELD_BYTES + SLICE_BYTES + 1;
  expect(OUTER_COMMAS_AT + (COUNTED_DEPTH + 1) * 4).toBeLessThanOrEqual(STARTS_AT);
  expect(STARTS_AT + (COUNTED_DEPTH + 1) * 8).toBeLessThanOrEqual(STATE_BYTES);
  expect(FIRST_BYTES_AT + MAX_FIRST_BYTES).toBeLessThanOrEqual(WANTS_MEMBERS_I32 * 4);
  expect(WANTS_MEMBERS_I32 * 4 + 4).toBeLessThanOrEqual(STATE_BYTES);
  expect(EVENTS_AT + sliceBytes * EVENT_BYTES).toBeLessThanOrEqual(SLICE_AT);
  expect(SLICE_AT + sliceBytes + 16).toBeLessThanOrEqual(STACK_AT);
  expect(STACK_AT + MAX_JSON_DEPTH + 1).toBeLessThanOrEqual(KEY_DEPTH_AT);
  expect(KEY_HASHES_AT + MAX_KEY_HASHES * 4).toBeLessThanOrEqual(MEMBER_KEYS_AT);
  expect(MEMBER_KEYS_AT + sliceBytes + 16).toBeLessThanOrEqual(MEMBER_PLACES_AT);
  const memberCount = 1 + Math.ceil(sliceBytes / MIN_MEMBER_BYTES);
  expect(MEMBER_PLACES_AT + memberCount * 16).toBeLessThanOrEqual(FILTER_AT);
  expect(FILTER_AT + FILTER_BYTES).toBeLessThanOrEqual(FILTER_HASHES_AT);
  expect(FILTER_HASHES_AT + MAX_KEY_HASHES * 4).toBeLessThanOrEqual(bytes.length);
});

test("it keeps of keys what their blocks need", () => {
  expect(MAX_KEY_HASHES).toBeGreaterThanOrEqual(MAX_FILTERED_KEYS);
  expect(KEY_TEXT_BYTES).toBeGreaterThanOrEqual(byText("k".repeat(1000)).length);
  expect(MAX_COLLECTED_BYTES).toBeLessThanOrEqual(MAX_INDEXED_KEY_UNITS);
});

/** A scan, and all that it reports. */
function reportingScan(): { readonly scanner: JsonScanner; readonly reports: unknown[] } {
  const reports: unknown[] = [];
  const scanner = new JsonScanner({
    onKey: (depth, start, end) => reports.push(["key", depth, start, end]),
    onValue: (...place) => reports.push(["value", ...place]),
    onMembers: (keys, places) => reports.push(["members", String(Buffer.from(keys)), ...places]),
    marks: {
      spacing: 16,
      onMark: (...place) => reports.push(["mark", ...place]),
      onEnd: (...place) => reports.push(["end", ...place]),
      wantsKeys: () => true,
      onKeys: () => undefined,
    },
  });
  return { scanner, reports };
}

test("scans that take turns find what each finds alone", () => {
  fc.assert(
    fc.property(fc.array(jsonText, { minLength: 2, maxLength: 4 }), pieceSizes, (texts, sizes) => {
      const pieces = texts.map((text) => [...cut(Buffer.from(text), sizes)]);
      const alone = pieces.map((ofText) => {
        const { scanner, reports } = reportingScan();
        for (const piece of ofText) scanner.write(piece);
        return { isJson: scanner.end(), rootType: scanner.rootType, reports };
      });
      const scans = pieces.map(() => reportingScan());
      const turns = Math.max(...pieces.map(({ length }) => length));
      for (let turn = 0; turn < turns; turn++) {
        for (const [at, { scanner }] of scans.entries()) {
          const piece = pieces[at]?.[turn];
          if (piece !== undefined) scanner.write(piece);
        }
      }
      const together = scans.map(({ scanner, reports }) => ({
        isJson: scanner.end(),
        rootType: scanner.rootType,
        reports,
      }));
      expect(together).toEqual(alone);
    }),
    { numRuns: 300 },
  );
});

test("a deep scan goes on after another one", () => {
  const levels = 100_000;
  const deep = new JsonScanner();
  deep.write(Buffer.from('{"a":['.repeat(levels)));
  const other = new JsonScanner();
  other.write(Buffer.from("[".repeat(3 * levels)));
  deep.write(Buffer.from("]}".repeat(levels)));
  expect(deep.end()).toBe(true);
  other.write(Buffer.from("]".repeat(3 * levels)));
  expect(other.end()).toBe(true);
});

test("a visitor that scans is told so, and the scan it is in can be ended", () => {
  const inner = new JsonScanner();
  const outer = new JsonScanner({ onValue: () => inner.write(Buffer.from("[]")) });
  expect(() => outer.write(Buffer.from("[1,2]"))).toThrow("a visitor of a JSON scan cannot scan");
  inner.write(Buffer.from("[]"));
  expect(inner.end()).toBe(true);
});
