import fc from "fast-check";
import { expect, test } from "vitest";
import { Conversation } from "../test/support/converse.js";
import { createWorkspace, demoTools, tool } from "../test/support/workspace.js";
import { MAX_INSPECT_CALLS } from "./blob-reading.js";
import type { HistoryEntry, ModelView } from "./model-view.js";
import { MAX_CALLS, nextAction } from "./policy.js";

const log = (failure: string): string =>
  Array.from({ length: 1200 }, (_, index) =>
    index === 700 ? `12:01 request 7f3a failed: ${failure}` : `12:00 request ${index} served`,
  ).join("\n");
const users = JSON.stringify(
  Array.from({ length: 3000 }, (_, id) => ({
    id,
    name: `user ${id}`,
    email: `u${id}@example.com`,
  })),
);
const config = JSON.stringify({
  name: "gateway",
  results: Array.from({ length: 400 }, (_, index) => ({ index, label: `entry ${index}` })),
  server: { host: "host.example", port: 8443 },
});

function ask(
  question: string,
  files: Readonly<Record<string, string>>,
): ReturnType<Conversation["ask"]> {
  return new Conversation(createWorkspace(files)).ask(question);
}

test("a stored log is searched for the id and read around the match", () => {
  const turn = ask("In big.log, what happened to request 7f3a?", { "big.log": log("timeout") });
  expect(turn.calls[0]).toEqual({ name: "read_file", input: { path: "big.log" } });
  expect(turn.selectors).toEqual(["find:7f3a", "lines:698-704"]);
  expect(turn.answer).toContain(
    "> 12:01 request 7f3a failed: timeout\n(from big.log, lines:698-704)",
  );
});

test("the answer is read from the data: another line in the file, another answer", () => {
  const question = "In big.log, what happened to request 7f3a?";
  expect(ask(question, { "big.log": log("disk full") }).answer).toContain("failed: disk full");
  expect(ask(question, { "big.log": log("no route") }).answer).toContain("failed: no route");
});

test("a record of a stored array is found by its number and its field is named", () => {
  const turn = ask("What is the email of user 1450 in users.json?", { "users.json": users });
  expect(turn.selectors[0]).toBe("find:1450");
  expect(turn.answer).toContain("> email: u1450@example.com");
  expect(turn.answer).toMatch(/\(from users\.json, bytes:\d+-\d+\)/);
});

test("a short number is looked for behind its key, not inside longer numbers", () => {
  const turn = ask("What is the name of user 7 in users.json?", { "users.json": users });
  expect(turn.selectors[0]).toBe(String.raw`find:"\"id\":7"`);
  expect(turn.answer).toContain("> name: user 7\n");
});

test.each([
  ["What does conf.json have under server?", ["key:server"], "port"],
  ["What is server.port in conf.json?", ["key:server | key:port"], "> 8443"],
  ["Which label has 399 in the results of conf.json?", ["key:results"], "label: entry 399"],
])("%s goes to the key", (question, selectors, answer) => {
  const turn = ask(question, { "conf.json": config });
  expect(turn.selectors.slice(0, selectors.length)).toEqual(selectors);
  expect(turn.answer).toContain(answer);
});

test("a key whose value does not hold the quoted text is not the answer", () => {
  const entries = Object.fromEntries(
    Array.from({ length: 90 }, (_, index) => [`k${index}`, index]),
  );
  const files = {
    "conf.json": JSON.stringify({ url: "a", ...entries, mirror_url: { of: "needle" } }),
  };
  const turn = ask('Which url in conf.json has "needle"?', files);
  expect(turn.selectors.slice(0, 2)).toEqual(["key:url", "find:needle"]);
  expect(turn.answer).toContain('{"of":"needle"}');
});

test.each([
  ["Show lines 10-12 of big.log", "big.log", "lines:10-12", "> 12:00 request 9 served"],
  ["What is the last line of big.log?", "big.log", "lines:1200-1200", "request 1199 served"],
  ["Zeige Zeile 3 von big.log", "big.log", "lines:3-3", "request 2 served"],
  ["big.log 第20行写了什么？", "big.log", "lines:20-20", "request 19 served"],
  ["Give me the first 2 entries of users.json", "users.json", "slice:0..2", "u1@example.com"],
  ["What is the 3rd entry in users.json?", "users.json", "slice:2..3", "u2@example.com"],
])("%s reads just that place", (question, path, selector, answer) => {
  const turn = ask(question, { [path]: path === "big.log" ? log("x") : users });
  expect(turn.selectors).toEqual([selector]);
  expect(turn.answer).toContain(answer);
});

test.each([
  'Which files mention "retry budget"?',
  "Welche Dateien erwähnen „retry budget“?",
  "Quels fichiers mentionnent « retry budget » ?",
  "哪些文件提到「retry budget」？",
  "What is the retry budget?",
])("%s is a search, answered with files and lines", (question) => {
  const files = {
    "a.ts": "// the retry budget is 3",
    "b.md": "nothing here",
    "c.md": "retry budget: 4",
  };
  const turn = ask(question, files);
  expect(turn.calls).toEqual([{ name: "grep", input: { pattern: "retry budget" } }]);
  expect(turn.answer).toContain("2 files have it: a.ts, c.md.");
  expect(turn.answer).toContain("> a.ts:1: // the retry budget is 3");
});

test("a stored search output is read part by part for its files", () => {
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [
      `dir/file-${index}.txt`,
      `the needle number ${index}`,
    ]),
  );
  const turn = ask('Which files mention "needle"?', files);
  expect(turn.answer).toContain("60 files have it: dir/file-0.txt");
  expect(turn.answer).toContain("and 40 more");
});

test("a result that is whole in the conversation is quoted with its lines", () => {
  const turn = ask("What does notes.txt say about the dentist?", {
    "notes.txt": "buy milk\ndentist on friday\n",
  });
  expect(turn.calls).toHaveLength(1);
  expect(turn.answer).toBe("> dentist on friday\n(from notes.txt, lines:2-2)");
});

test("what is nowhere in a file is said to be not in what was read", () => {
  const turn = ask("In big.log, what about zzzz9?", { "big.log": log("x") });
  expect(turn.answer).toContain(
    'I did not find "zzzz9" in what I read of big.log (find:zzzz9: no match',
  );
});

test("letters in another case are tried when a word has no match", () => {
  const turn = ask("In big.log, what does it say about Failed?", { "big.log": log("timeout") });
  expect(turn.selectors).toContain("find:failed");
  expect(turn.answer).toContain("failed: timeout");
});

test("a question without words to look for is answered with totals and both ends", () => {
  const turn = ask("How many lines does big.log have?", { "big.log": log("x") });
  expect(turn.answer).toContain("1200 lines");
  expect(turn.answer).toContain("> 12:00 request 0 served");
  expect(turn.answer).toContain("request 1199 served\n(from big.log, tail of the summary)");
});

test("several named files are read at once", () => {
  const conversation = new Conversation(
    createWorkspace({ "a.txt": "blue one", "b.txt": "blue two" }),
  );
  conversation.history.push({ type: "user", text: 'What do a.txt and b.txt say about "blue"?' });
  expect(conversation.next()).toMatchObject({
    type: "call",
    calls: [{ input: { path: "a.txt" } }, { input: { path: "b.txt" } }],
  });
});

test("a follow-up reads on in the blob that is known", () => {
  const conversation = new Conversation(createWorkspace({ "big.log": log("timeout") }));
  conversation.ask("In big.log, what happened to request 7f3a?");
  const turn = conversation.ask("And to request 1100?");
  expect(turn.calls.map((call) => call.name)).not.toContain("read_file");
  expect(turn.selectors[0]).toBe("find:1100");
  expect(turn.answer).toContain("> 12:00 request 1100 served");
});

test("a question about the same file reads it again only when asked to", () => {
  const workspace = createWorkspace({ "notes.txt": "milk: one" });
  const conversation = new Conversation(workspace);
  conversation.ask("What does notes.txt say about milk?");
  workspace.files.set("notes.txt", "milk: two");
  expect(conversation.ask("What does notes.txt say about milk?").answer).toContain("milk: one");
  expect(conversation.ask("Read notes.txt again: what about milk?").answer).toContain("milk: two");
});

test('"continue" goes on with the question before it', () => {
  const conversation = new Conversation(createWorkspace({ "big.log": log("timeout") }));
  conversation.history.push({ type: "user", text: "In big.log, what happened to request 7f3a?" });
  const before = conversation.next();
  conversation.history.push({ type: "user", text: "Please continue." });
  expect(conversation.next()).toEqual(before);
});

test("a deleted blob is said to be gone, and the tool is run once more", () => {
  const workspace = createWorkspace({ "big.log": log("timeout") });
  const conversation = new Conversation(workspace);
  conversation.ask("In big.log, what happened to request 7f3a?");
  workspace.blobs.delete("0192-1");
  const turn = conversation.ask("In big.log, what happened to request 15?");
  expect(turn.calls.filter((call) => call.name === "read_file")).toHaveLength(1);
  expect(turn.answer).toContain(
    'read_file({"path":"big.log"}) no longer exists, so I called the tool again.',
  );
  expect(turn.answer).toContain("> 12:00 request 15 served");
});

test("a store that keeps losing blobs gets an answer from what was read before", () => {
  const workspace = createWorkspace({ "big.log": log("timeout") });
  const conversation = new Conversation({
    ...workspace,
    run(call) {
      workspace.blobs.clear();
      return workspace.run(call);
    },
  });
  const turn = conversation.ask("In big.log, what happened to request 1199?");
  expect(turn.calls.filter((call) => call.name === "read_file")).toHaveLength(2);
  expect(turn.answer).toContain("no longer exists");
  expect(turn.answer).toContain("> 12:00 request 1199 served\n(from big.log, tail of the summary)");
});

test("a file under a similar name is read instead of one that is not there", () => {
  const turn = ask("What does BIG.LOG say about 7f3a?", { "big.log": log("timeout") });
  expect(turn.calls.map((call) => call.name).slice(0, 3)).toEqual([
    "read_file",
    "list_dir",
    "read_file",
  ]);
  expect(turn.answer).toContain("failed: timeout");
});

test("a file that is nowhere is reported in the words of the tool", () => {
  const turn = ask("What does other.log say about 7f3a?", { "notes.txt": "milk" });
  expect(turn.answer).toContain('read_file({"path":"other.log"}) failed: ENOENT');
});

test("tools are chosen by their declaration, whatever they are called", () => {
  const tools = [
    tool("fs__cat", "Returns what a file contains; opens and reads it.", { filename: "string" }, [
      "filename",
    ]),
    tool("rg", "Search the tree by regular expression.", { regex: "string" }, ["regex"]),
    tool("order_status", "Status of one order.", { order: "integer" }, ["order"]),
  ];
  const view = (text: string): ModelView => ({
    system: "",
    tools,
    toolChoice: "auto",
    allowsParallelCalls: true,
    history: [{ type: "user", text }],
  });
  expect(nextAction(view("What is in todo.md?"))).toMatchObject({
    calls: [{ name: "fs__cat", input: { filename: "todo.md" } }],
  });
  expect(nextAction(view('Where is "a+b"?'))).toMatchObject({
    calls: [{ name: "rg", input: { regex: String.raw`a\+b` } }],
  });
  expect(nextAction(view("What is the status of order 4711?"))).toMatchObject({
    calls: [{ name: "order_status", input: { order: 4711 } }],
  });
});

test("a greeting is answered without a call, saying that this is no language model", () => {
  const turn = ask("Hello!", {});
  expect(turn.calls).toEqual([]);
  expect(turn.answer).toContain("not a language model");
});

test("without tools the model says so", () => {
  const history: HistoryEntry[] = [{ type: "user", text: "What is in a.txt?" }];
  const action = nextAction({
    system: "",
    tools: demoTools,
    toolChoice: "none",
    allowsParallelCalls: true,
    history,
  });
  expect(action).toMatchObject({ type: "answer" });
  expect(action.type === "answer" && action.text).toContain("no tool");
});

test("a request that demands a call gets one", () => {
  const history: HistoryEntry[] = [{ type: "user", text: "Hello!" }];
  const action = nextAction({
    system: "",
    tools: demoTools,
    toolChoice: { name: "list_dir" },
    allowsParallelCalls: true,
    history,
  });
  expect(action).toMatchObject({ calls: [{ name: "list_dir", input: { path: "." } }] });
});

test("whatever is asked, the work ends within its limits and never repeats a call", () => {
  const vocabulary =
    'big.log users.json conf.json nope.txt "served" 7f3a 1450 results Welche 哪些 files x|y "a 😀 ../.. again \0';
  const words = fc.constantFrom("line 5", "last entry", "how many", ...vocabulary.split(" "));
  const questions = fc.array(words, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(" "));
  const files = { "big.log": log("x"), "users.json": users, "conf.json": config };
  fc.assert(
    fc.property(fc.array(questions, { minLength: 1, maxLength: 3 }), (asked) => {
      const conversation = new Conversation(createWorkspace(files));
      for (const question of asked) {
        const turn = conversation.ask(question);
        expect(turn.selectors.length).toBeLessThanOrEqual(MAX_INSPECT_CALLS);
        expect(turn.calls.length).toBeLessThanOrEqual(MAX_CALLS);
        const calls = turn.calls.map((call) => JSON.stringify(call));
        expect(new Set(calls).size).toBe(calls.length);
        expect(turn.answer).not.toBe("");
      }
    }),
    { numRuns: 40 },
  );
});

test("results of any text never make the policy throw", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.string(),
      fc.boolean(),
      (question, text, isError) => {
        const conversation = new Conversation({
          ...createWorkspace({}),
          run: () => ({ text, isError }),
        });
        expect(conversation.ask(`${question} a.txt "b"`).answer).toBeTypeOf("string");
      },
    ),
  );
});
