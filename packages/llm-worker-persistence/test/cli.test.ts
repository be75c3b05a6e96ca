import { mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readBlob } from "llm-worker";
import { expect, test } from "vitest";
import { FsBlobStore } from "../src/fs-blob-store.js";
import { deduplicated } from "../src/index.js";
import { runCli as cli } from "./support/run-cli.js";
import { tempDirectory } from "./temp-directory.js";

test("put stores a file or standard input and prints the id", async () => {
  const directory = await tempDirectory();
  const file = join(directory, "big.log");
  const text = "a line of a log\n".repeat(50_000);
  await writeFile(file, text);
  const store = join(directory, "made", "by", "put");
  const fromFile = await cli(["--store", store, "put", file]);
  expect(fromFile).toMatchObject({ code: 0, err: "" });
  const fromStdin = await cli(["put", "-", "--store", store, "--json"], { stdin: "[1,2]" });
  const { id, kind, entryCount } = JSON.parse(fromStdin.text) as Record<string, unknown>;
  expect([kind, entryCount]).toEqual(["json_array", 2]);
  const blobs = new FsBlobStore(store);
  expect(await blobs.load(fromFile.text.trim())).toEqual({ type: "text", text });
  expect(await blobs.stat(String(id))).toMatchObject({ kind: "json_array" });
  const typed = await cli(["--store", store, "put", "-", "--media-type", "image/png"], {
    stdin: "text?",
  });
  expect(await blobs.stat(typed.text.trim())).toMatchObject({ mediaType: "image/png" });
});

test("ls and stat show what there is, for people and as JSON", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const ids = [
    await store.store({ type: "text", text: "one\n" }),
    await store.store({ type: "text", text: "two\nlines\n" }),
  ];
  const listed = (await cli(["--store", directory, "ls"])).text.trimEnd().split("\n");
  expect(listed.map((line) => line.split(/ +/).slice(0, 2))).toEqual([
    [ids[0], "4"],
    [ids[1], "10"],
  ]);
  const asJson = JSON.parse((await cli(["--store", directory, "ls", "--json"])).text) as unknown[];
  expect(asJson).toMatchObject(ids.map((id) => ({ id })));
  expect(
    JSON.parse((await cli(["--store", join(directory, "blobs"), "ls", "--json"])).text),
  ).toEqual([]);
  const stat = await cli(["--store", directory, "stat", ids[1] ?? ""]);
  expect(stat.text).toMatch(/lineCount +2\n/);
  const json = await cli(["--store", directory, "stat", ids[1] ?? "", "--json"]);
  expect(JSON.parse(json.text)).toEqual({ id: ids[1], ...(await store.stat(ids[1] ?? "")) });
});

test("inspect prints the very answer that a model gets, the payload alone, or both as JSON", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const id = await store.store({ type: "text", text: "é line\n".repeat(5000) });
  for (const selector of ["", "lines:20-50", "find:line", "bytes:0-100"]) {
    const answer = await readBlob(store, id, selector);
    const args = ["--store", directory, "inspect", id, ...(selector === "" ? [] : [selector])];
    expect((await cli(args)).text).toBe(`${answer.text}\n`);
    expect((await cli([...args, "--raw"])).out.equals(answer.payload)).toBe(true);
    const { text, header, next } = answer;
    expect(JSON.parse((await cli([...args, "--json"])).text)).toEqual(
      JSON.parse(JSON.stringify({ id, isError: false, header, text, next })),
    );
  }
  const small = await cli(["--store", directory, "inspect", id, "--max-answer-bytes", "2000"]);
  expect(Buffer.byteLength(small.text)).toBeLessThanOrEqual(2001);
});

test("what is not there or not understood is told on standard error, with exit code 1", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const id = await store.store({ type: "text", text: "x" });
  const gone = "01890000-0000-7000-8000-000000000000";
  for (const [args, told] of [
    [["inspect", gone], "no longer exists"],
    [["inspect", id, "lines:x"], "bad_selector"],
    [["walk", gone], "not in this store"],
    [["stat", "../etc/passwd"], "not a blob id"],
    [["put", join(directory, "missing")], "cannot be read"],
    [["put", directory], "is a directory"],
    [["gc", "--sessions", join(directory, "missing")], "no directory"],
  ] as const) {
    const { code, out, err } = await cli(["--store", directory, ...args]);
    expect([code, out.length]).toEqual([1, 0]);
    expect(err).toContain(told);
    expect(err).toMatch(/^llm-worker-blobs: [^]*\n$/);
  }
  const json = await cli(["--store", directory, "inspect", gone, "--json"]);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.text)).toMatchObject({ isError: true, code: "not_found" });
  expect(await cli(["--store", join(directory, "missing"), "ls"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("there is no directory"),
  });
});

test.each([
  [[], "a command is missing"],
  [["ls"], "--store is missing"],
  [["--store", "x", "list"], 'no command "list"'],
  [["--store", "x", "ls", "y"], "takes nothing"],
  [["--store", "x", "stat"], "needs ID"],
  [["--store", "x", "stat", "--raw", "y"], "takes no --raw"],
  [["--store", "x", "--what"], "--what"],
  [["--store", "x", "inspect", "id", "find:a", "b"], "quote"],
  [["--store", "x", "inspect", "id", "--max-answer-bytes", "-3"], "--max-answer-bytes"],
  [["--store", "x", "walk", "id", "--max-answer-bytes", "1000"], "at least 1024"],
  [["--store", "x", "--endpoint", "http://y", "ls"], "--endpoint"],
  [["--store", "ftp://x", "ls"], "directory or s3://"],
  [["--store", "s3:///x", "ls"], "bucket is missing"],
  [["--store", "x", "gc"], "needs --sessions"],
  [["--store", ".", "gc", "--sessions", "ftp://x"], "--sessions takes a directory or s3://"],
  [["--store", ".", "gc", "--sessions", "s3:///x"], "--sessions s3://BUCKET/PREFIX"],
  [["--store", "x", "gc", "--sessions", "x", "--max-age", "7"], "--max-age needs"],
  [["--store", "x", "gc", "--sessions", "x", "--max-bytes", "1e9"], "--max-bytes needs"],
  [["--store", "x", "gc", "--sessions", "x", "--pin", "y"], "--pin needs"],
] as const)("the command line %j is refused with exit code 2", async (args, told) => {
  const { code, out, err } = await cli(args);
  expect([code, out.length]).toEqual([2, 0]);
  expect(err).toContain(told);
  expect(err).toContain("--help");
});

test("help tells all commands", async () => {
  const { code, text } = await cli(["--help"]);
  expect(code).toBe(0);
  for (const name of ["put", "ls", "stat", "inspect", "walk", "gc"]) {
    expect(text).toMatch(new RegExp(`^  ${name} `, "m"));
  }
});

test("walk writes the blob byte for byte", async () => {
  const directory = await tempDirectory();
  const store = new FsBlobStore(directory);
  const contents = [
    Buffer.from("a line\n".repeat(300_000)),
    Buffer.from(JSON.stringify(Array.from({ length: 50_000 }, (_, id) => ({ id, text: "é" })))),
    Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 256)),
    Buffer.from("x".repeat(2_500_000)),
    Buffer.alloc(0),
  ];
  for (const bytes of contents) {
    const writer = await store.openWriter();
    await writer.write(bytes);
    const { id } = await writer.commit();
    for (const options of [[], ["--max-answer-bytes", "40000"]]) {
      const { code, out } = await cli(["--store", directory, "walk", id, ...options]);
      expect(code).toBe(0);
      expect(out.equals(bytes)).toBe(true);
    }
  }
});

test("gc keeps what the files below --sessions name and follows its rules", async () => {
  const directory = await tempDirectory();
  const logs = join(directory, "logs");
  await mkdir(logs);
  const store = new FsBlobStore(directory);
  const ids: string[] = [];
  for (const days of [10, 9, 8, 6]) {
    const id = await store.store({ type: "text", text: "x".repeat(100) });
    const storedAt = new Date(Date.now() - days * 24 * 3_600_000);
    await utimes(join(directory, "blobs", `${id}.txt`), storedAt, storedAt);
    ids.push(id);
  }
  const young = await store.store({ type: "text", text: "young" });
  const [named = "", pinned = "", old = "", stale = ""] = ids;
  await writeFile(join(logs, "a.jsonl"), `{"summary":"[blob:${named}]"}\n`);
  const gc = ["--store", directory, "gc", "--sessions", logs, "--pin", pinned];

  const dry = await cli([...gc, "--dry-run", "--json"]);
  expect(JSON.parse(dry.text)).toMatchObject({
    dryRun: true,
    deleted: [{ id: old, reason: "age" }],
    kept: { referenced: 1, pinned: 1, recent: 1, withinLimits: 1 },
  });
  expect(await store.exists(old)).toBe(true);
  expect((await cli([...gc, "--dry-run"])).text).toContain("would delete 1 blobs, 100 B");

  expect((await cli([...gc, "--max-age", "none", "--max-bytes", "305"])).text).toMatch(
    new RegExp(`^${old} +100  size\\ndeleted 1 blobs`),
  );
  expect((await cli([...gc, "--max-age", "1d"])).text).toContain(stale);
  expect((await cli([...gc, "--max-age", "0s", "--min-age", "0s"])).text).toContain(young);
  const left: string[] = [];
  for await (const { id } of store.list()) left.push(id);
  expect(left).toEqual([named, pinned].toSorted());
});

test("long work shows how far it is, on a terminal only", async () => {
  const directory = await tempDirectory();
  const file = join(directory, "file");
  await writeFile(file, "x".repeat(3_000_000));
  const shown = await cli(["--store", directory, "put", file], { isTTY: true });
  expect(shown.err).toMatch(/storing \[#+-+\] +\d+% [\d.]+ kB of 3\.0 MB/);
  expect(shown.err.endsWith("\r\u001B[K")).toBe(true);
  const walked = await cli(["--store", directory, "walk", shown.text.trim()], { isTTY: true });
  expect(walked.err).toContain("reading [");
  expect((await cli(["--store", directory, "put", file])).err).toBe("");
});

test("the README tells the same as --help", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  expect(readme).toContain((await cli(["--help"])).text);
});

test("gc leaves the payloads of a deduplicated store alone", async () => {
  const directory = await tempDirectory();
  const below = new FsBlobStore(directory);
  const shared = deduplicated(below);
  const id = await shared.store({ type: "text", text: "shared by two sessions\n".repeat(500) });
  const logs = join(directory, "logs");
  await mkdir(logs);
  await writeFile(join(logs, "session.jsonl"), `{"blob":"${id}"}\n`);
  const gc = ["--store", directory, "gc", "--sessions", logs];
  const done = await cli([...gc, "--max-age", "0s", "--min-age", "0s"]);
  expect(done).toMatchObject({ code: 0, text: expect.stringContaining("deleted 0 blobs") });
  expect(await shared.load(id)).toMatchObject({ type: "text" });
});
