import assert from "node:assert/strict";
import { contentBytes } from "llm-worker/blob";
import type { Content } from "llm-worker/blob";
import { assertSameBytes, assertSameContent } from "./assertions.js";
import type { StoreExpectation } from "./expectation.js";
import { allByteValues, binary, json, largeArray, largeText, text } from "./samples.js";

const TEXTS: Readonly<Record<string, string>> = {
  "an empty text": "",
  "text in many scripts": "naïve · 漢字 · עברית · 👩‍👩‍👧‍👦 · e\u0301",
  "text with NUL and other control characters": "a\u0000b\u001b[31mred\u001b[0m\u007f",
  "text with mixed line ends": "one\r\ntwo\nthree\rfour\r\n\r\n",
  "text that begins with a byte order mark": "\ufeffmarked",
  "text that looks like JSON": '[1, {"a": 2}]',
  "a text of more than 1 MB": largeText(),
  "a text of 1 MB in one line": "x".repeat(1024 * 1024),
};

const JSON_TEXTS: Readonly<Record<string, string>> = {
  "numbers beyond 2^53 and other spellings":
    '{"big":9007199254740993,"huge":1e400,"zero":-0.0,"long":1.10}',
  "duplicate keys and the order of keys": '{"b":1,"a":2,"2":3,"1":4,"b":5,"__proto__":{"x":1}}',
  "white space and escapes": ' \r\n{ "\\u006b" :\t"\\ud83d\\ude00 \\/ é" , "e":[ ] }\n',
  "a value that is neither array nor object": '"just a string"',
  "JSON of more than 1 MB in one line": largeArray(),
};

/** That what is loaded is what was stored. */
export const byteCases: readonly StoreExpectation[] = [
  ...Object.entries(TEXTS).map(([what, value]) => roundTrip(what, text(value))),
  ...Object.entries(JSON_TEXTS).map(([what, raw]) => roundTrip(what, json(raw))),
  roundTrip("every byte value", binary(allByteValues())),
  roundTrip("empty bytes", binary(new Uint8Array())),
  roundTrip("bytes with a media type", binary(allByteValues(5), "image/png")),
  roundTrip("more than 1 MB of bytes", binary(allByteValues(5_000), "application/zip")),
  roundTrip(
    "text bytes that are not valid UTF-8",
    binary(Buffer.from("caf\xe9\nna\xefve\n", "latin1"), "text/plain; charset=iso-8859-1"),
  ),
  {
    name: "the value of loaded JSON is what JSON.parse makes of the raw text",
    needs: [],
    async run(store) {
      for (const raw of Object.values(JSON_TEXTS)) {
        const loaded = await store.load(await store.store(json(raw)));
        assert.ok(loaded.type === "structured");
        assert.deepEqual(loaded.value, JSON.parse(raw));
      }
    },
  },
  {
    name: "half a surrogate pair is stored as U+FFFD",
    needs: [],
    async run(store) {
      const loaded = await store.load(await store.store(text("ab\ud83d cd\ude00")));
      assert.deepEqual(loaded, text("ab\ufffd cd\ufffd"));
    },
  },
  {
    name: "bytes that are text may be loaded as either, but byte for byte",
    needs: [],
    async run(store) {
      const bytes = Buffer.from("plain ✓\n");
      const loaded = await store.load(await store.store(binary(bytes, "text/plain")));
      assertSameBytes(contentBytes(loaded), bytes);
    },
  },
  {
    name: "changing bytes after they were stored does not change the blob",
    needs: [],
    async run(store) {
      const bytes = allByteValues();
      const id = await store.store(binary(bytes));
      bytes.fill(0);
      assertSameContent(await store.load(id), binary(allByteValues()));
    },
  },
  {
    name: "changing loaded bytes does not change the blob",
    needs: [],
    async run(store) {
      const id = await store.store(binary(allByteValues()));
      const loaded = await store.load(id);
      assert.ok(loaded.type === "binary");
      loaded.bytes.fill(0);
      assertSameContent(await store.load(id), binary(allByteValues()));
    },
  },
];

function roundTrip(what: string, content: Content): StoreExpectation {
  return {
    name: `${what} comes back unchanged`,
    needs: [],
    async run(store) {
      assertSameContent(await store.load(await store.store(content)), content);
    },
  };
}
