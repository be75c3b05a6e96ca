import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { anthropic } from "@llm-worker/providers-anthropic";
import { messageText, toolResultText } from "llm-worker";
import { FsBlobStore } from "llm-worker-persistence";
import { startScriptedModel } from "scripted-model";
import { expect, onTestFinished, test } from "vitest";
import { createDemoWorker } from "../src/demo-worker.js";
import { confineToDirectory } from "../src/tools/confined.js";
import { makeDirectory } from "./support/run.js";

test("a blob that is deleted between turns no longer exists for inspect, and the run ends cleanly", async () => {
  const directory = await makeDirectory();
  await writeFile(join(directory, "app.log"), "10:00 nothing of note\n".repeat(5000));
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  const store = new FsBlobStore(join(directory, "store"));
  const worker = createDemoWorker({
    provider: anthropic({ model: "scripted-model", apiKey: "any", baseUrl: model.url }),
    store,
    confined: await confineToDirectory(directory),
  });
  worker.hook("preToolCall", async ({ name }) => {
    if (name !== "inspect") return;
    for await (const { id } of store.list()) await store.delete(id);
  });

  const { status, items } = await worker.run("What happened to request q7 in app.log?");

  expect(status).toBe("finished");
  const results = items.filter((item) => item.type === "tool_result");
  const gone = results.find((item) => toolResultText(item).includes("no longer exists"));
  expect(gone).toMatchObject({ isError: true });
  const last = items.at(-1);
  expect(last?.type === "message" && messageText(last)).toContain("no longer");
});
