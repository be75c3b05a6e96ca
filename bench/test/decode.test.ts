import { expect, test } from "vitest";
import { runBench } from "../src/cli.js";
import { decode } from "../src/decode/decode.js";
import { deltas } from "../src/deltas/deltas.js";
import { isBuilt, skippedWhen } from "../src/harness/built-script.js";

test.skipIf(!isBuilt)(
  `decode and deltas: product and limit come to the same answers in a quick run${skippedWhen}`,
  async () => {
    let [printed, told] = ["", ""];
    const code = await runBench(["--quick"], [decode, deltas], {
      env: {},
      currentDirectory: ".",
      write: (text) => void (printed += text),
      progress: (line) => void (told += `${line}\n`),
    });
    expect({ code, told }).toMatchObject({ code: 0 });
    for (const wire of ["anthropic", "openai-chat", "openai-responses", "gemini", "ollama"]) {
      expect(printed).toContain(`| CPU ms, ${wire} `);
    }
    expect(printed).toMatch(/\| one call, 320 deltas +\|/);
  },
  120_000,
);
