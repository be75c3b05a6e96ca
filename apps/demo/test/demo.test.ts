import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { demo, makeDirectory } from "./support/run.js";

/** A log with one line of its own between many that look alike. */
function logWith(line: string): string {
  const before = Array.from(
    { length: 40_000 },
    (_, i) => `10:00 INFO request r${i} took ${i % 90} ms`,
  );
  const after = Array.from(
    { length: 40_000 },
    (_, i) => `11:00 INFO request s${i} took ${i % 90} ms`,
  );
  return `${[...before, line, ...after].join("\n")}\n`;
}

describe("without arguments", () => {
  test("answers a question about each sample, tells what it cost and leaves no files", async () => {
    const temporaryDirectory = await makeDirectory();
    const { output, errors, exitCode } = await demo([], { temporaryDirectory });
    expect({ errors, exitCode }).toEqual({ errors: "", exitCode: 0 });
    expect(output.split("\n", 1)[0]).toBe(
      "model: scripted demo model, not a language model; use --provider anthropic for a real one",
    );
    expect(output).toMatch(/service\.log, made for this run \(5,\d{3},\d{3} bytes\)/u);
    expect(output).toMatch(/> .* ERROR .*put on hold/u);
    expect(output).toMatch(/> .*@example\.com/u);
    expect(output).toMatch(/^→ inspect find:/mu);
    expect(output).toMatch(/^all requests +\d\d,\d{3} +5,\d{3},\d{3}$/mu);
    expect(output).toContain("--store DIR keeps them");
    expect(await readdir(temporaryDirectory)).toEqual([]);
  });

  test("another seed makes another question", async () => {
    const [first, second] = [await demo(["--json"]), await demo(["--json", "--seed", "2"])];
    const question = (run: { output: string }): unknown =>
      JSON.parse(run.output).questions[0].question;
    expect(question(first)).not.toBe(question(second));
  });
});

describe("a file of one's own", () => {
  test("is answered from: changing one line changes the answer", async () => {
    const directory = await makeDirectory();
    const ask = async (line: string): Promise<string> => {
      await writeFile(join(directory, "app.log"), logWith(line));
      const run = await demo(["app.log", "What happened to request q7?", "--json"], {
        currentDirectory: directory,
      });
      return JSON.parse(run.output).questions[0].answer as string;
    };
    expect(await ask("10:30 ERROR request q7 failed: disk full")).toContain("disk full");
    const changed = await ask("10:30 ERROR request q7 failed: quota exceeded");
    expect(changed).toContain("quota exceeded");
    expect(changed).not.toContain("disk full");
  });

  test("may be a JSON array of 400 KB in one line", async () => {
    const directory = await makeDirectory();
    const records = Array.from({ length: 20_000 }, (_, id) => ({
      id,
      n: id === 17_777 ? "jackdaw" : "x",
    }));
    await writeFile(join(directory, "list.json"), JSON.stringify(records));
    const { output, exitCode } = await demo(["list.json", 'Where is "jackdaw" in list.json?'], {
      currentDirectory: directory,
    });
    expect(exitCode).toBe(0);
    expect(output).toContain("json_array | 20000 entries | ");
    expect(output).toContain('> {"id":17777,"n":"jackdaw"}');
  });

  test("has a question of its own if none is given", async () => {
    const directory = await makeDirectory();
    await writeFile(join(directory, "access_log"), logWith("10:30 the odd one"));
    const { output, exitCode } = await demo(["access_log"], { currentDirectory: directory });
    expect(exitCode).toBe(0);
    expect(output).toContain("80001 lines");
    expect(output).toContain("> 11:00 INFO request s39999 took 39 ms");
  });

  test.each([
    ["is empty", "", "← read_file: 0 bytes into the history"],
    ["is small", "only this line, about a heron\n", "about a heron"],
    ["is binary", Buffer.alloc(50_000, Buffer.from([0, 255, 1, 254])), "binary"],
  ])("is told to the model as it is when it %s", async (_, content, words) => {
    const directory = await makeDirectory();
    await writeFile(join(directory, "my file.dat"), content);
    const run = await demo(["my file.dat", "What is in it?"], { currentDirectory: directory });
    expect(run).toMatchObject({ exitCode: 0, errors: "" });
    expect(run.output).toMatch(/^→ read_file .*my file\.dat/mu);
    expect(run.output).toContain(words);
  });

  test("sends no control character of its own to the terminal", async () => {
    const directory = await makeDirectory();
    await writeFile(
      join(directory, "app.log"),
      logWith("10:30 \u001b[2J\u001b]0;title\u0007 q7 \u202e"),
    );
    const run = await demo(["app.log", "What of q7?"], { currentDirectory: directory });
    expect(run.output).toContain("␛[2J");
    expect(run.output).not.toMatch(/[^\P{C}\n]/u);
  });
});

describe("a folder", () => {
  test("is searched, and only what is in it is read", async () => {
    const directory = await makeDirectory();
    await writeFile(join(directory, "one.txt"), "nothing here\n");
    await writeFile(join(directory, "two.txt"), "the retry budget is 3\n");
    const question = 'Which files mention "retry budget"?';
    const run = await demo(["--dir", ".", question], { currentDirectory: directory });
    expect(run).toMatchObject({ exitCode: 0, errors: "" });
    expect(run.output).toContain("→ grep");
    expect(run.output).toContain("two.txt:1: the retry budget is 3");
    expect(run.output).not.toContain("one.txt:");
  });
});

describe("--store", () => {
  test("keeps the output as a blob, and the history without it", async () => {
    const directory = await makeDirectory();
    const log = logWith("10:30 ERROR request q7 failed: disk full");
    await writeFile(join(directory, "app.log"), log);
    const run = await demo(["app.log", "What of q7?", "--store", "kept"], {
      currentDirectory: directory,
    });
    expect(run).toMatchObject({ exitCode: 0, errors: "" });

    const blobs = await readdir(join(directory, "kept", "blobs"));
    const payloads = blobs.filter((name) => name.endsWith(".txt"));
    expect(payloads).toHaveLength(1);
    const payload = await readFile(join(directory, "kept", "blobs", payloads[0] ?? ""), "utf8");
    expect(payload === log).toBe(true);

    const histories = await readdir(join(directory, "kept", "history"));
    expect(histories).toHaveLength(1);
    const history = await readFile(join(directory, "kept", "history", histories[0] ?? ""), "utf8");
    expect(JSON.parse(history)).toMatchObject({ status: "finished", items: expect.any(Array) });
    expect(history).toContain("disk full");
    expect(history).not.toContain("request r20000 ");
    expect(history.length).toBeLessThan(10_000);
    expect(run.output).toContain(join(directory, "kept", "history", histories[0] ?? ""));
  });
});

describe("--json", () => {
  test("prints one document with the facts and nothing else", async () => {
    const directory = await makeDirectory();
    const log = logWith("10:30 ERROR request q7 failed: disk full");
    await writeFile(join(directory, "app.log"), log);
    const { output } = await demo(["app.log", "What of q7?", "--json"], {
      currentDirectory: directory,
    });
    const report = JSON.parse(output);
    expect(report).toMatchObject({
      model: { isLanguageModel: false },
      questions: [
        {
          question: "What of q7? (in app.log)",
          status: "finished",
          answer: expect.stringContaining("disk full"),
          producedBytes: log.length,
          outputs: [{ toolName: "read_file", producedBytes: log.length, isError: false }],
          historyFile: null,
        },
      ],
      blobDirectory: null,
    });
    const [{ historyBytes, inspectBytes, sentBytes, allInlineBytes, requests }] = report.questions;
    expect(historyBytes).toBeLessThanOrEqual(400);
    expect(inspectBytes).toBeGreaterThan(0);
    expect(allInlineBytes).toBeGreaterThan(log.length);
    expect(sentBytes).toBeLessThan(log.length / 10);
    expect(requests[1].allInlineBytes).toBe(requests[1].sentBytes + log.length - historyBytes);
  });
});

describe("colour", () => {
  test("is for terminals, unless NO_COLOR says no", async () => {
    const colour = "\u001b[36m→ grep";
    const asks = async (isTerminal: boolean, env: Record<string, string>): Promise<string> => {
      const directory = await makeDirectory();
      const argv = ["--dir", ".", 'Which files mention "x"?'];
      return (await demo(argv, { currentDirectory: directory, isTerminal, env })).output;
    };
    expect(await asks(true, {})).toContain(colour);
    expect(await asks(true, { NO_COLOR: "1" })).not.toContain("\u001b");
    expect(await asks(true, { TERM: "dumb" })).not.toContain("\u001b");
    expect(await asks(false, {})).not.toContain("\u001b");
  });
});
