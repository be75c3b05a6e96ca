import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeSection } from "./results-file.js";

test("a section is replaced in its place, the others stay", async () => {
  const directory = await mkdtemp(join(tmpdir(), "results-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, "RESULTS.md");
  const names = ["decode", "history"];
  await writeSection("history", "## history\n\nold\n", names, file);
  await writeSection("decode", "## decode\n\n1.2\n", names, file);
  await writeSection("history", "## history\n\nnew\n", names, file);
  const text = await readFile(file, "utf8");
  expect(text).toContain(
    "<!-- measure: decode -->\n## decode\n\n1.2\n\n<!-- measure: history -->\n## history\n\nnew\n",
  );
  expect(text).not.toContain("old");
  const before = text;
  await writeSection("history", "## history\n\nnew\n", names, file);
  expect(await readFile(file, "utf8")).toBe(before);
});
