import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { expectAnswerForm } from "./support/answers.js";
import { BLOB_ID, byteStore } from "./support/byte-store.js";
import { walk } from "./support/walk.js";

const CAP = 16_384;
const shared = process.env["LLM_WORKER_SHARED"] ?? join(import.meta.dirname, "../../../../shared");
const outputs = join(shared, "corpus/outputs");
const manifest = join(outputs, "manifest.jsonl");

const files = existsSync(manifest)
  ? readFileSync(manifest, "utf8")
      .trim()
      .split("\n")
      .map((row) => (JSON.parse(row) as { readonly file: string }).file)
  : [];

describe.skipIf(files.length === 0)("the corpus of tool outputs (needs the shared data)", () => {
  test("has 158 files", () => {
    expect(files.length).toBe(158);
  });

  test.each(files)(
    "%s is walked byte for byte, in few answers, each within the cap",
    async (file) => {
      const raw = readFileSync(join(outputs, file));
      const payload = file.endsWith(".gz") ? gunzipSync(raw) : raw;
      const { bytes, answers } = await walk(byteStore(payload), BLOB_ID);
      expect(bytes.equals(payload)).toBe(true);
      for (const answer of answers) expectAnswerForm(answer);
      // Of binary a dump is shown, about five times as long.
      const isBinary = answers[0]?.header.includes("] binary |") === true;
      const shownBytes = isBinary ? payload.length * 5 : payload.length;
      expect(answers.length).toBeLessThanOrEqual(shownBytes / (CAP / 2) + 2);
    },
  );
});
