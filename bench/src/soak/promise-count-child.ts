import { createHook } from "node:async_hooks";
import { type Event, type Provider, Worker } from "llm-worker";
import { serveCalls } from "../harness/child.js";

/** Promises that one run made, by the number of deltas that its answer had. */
export type PromiseCounts = readonly { readonly deltas: number; readonly promises: number }[];

/** The answers come in as many pieces as each other, so that only their deltas differ. */
const BATCHES = 10;
const DELTAS_PER_BATCH = [10, 100, 1000];

serveCalls({
  async count(): Promise<PromiseCounts> {
    // Whatever is made at the first run only is not of the deltas.
    await countPromises(1);
    const counts = [];
    for (const perBatch of DELTAS_PER_BATCH) {
      counts.push({ deltas: perBatch * BATCHES, promises: await countPromises(perBatch) });
    }
    return counts;
  },
});

async function countPromises(deltasPerBatch: number): Promise<number> {
  const worker = new Worker({ provider: talkative(deltasPerBatch) });
  let shown = 0;
  worker.onTextBlock((moment) => (shown += moment.type === "delta" ? moment.text.length : 0));
  worker.onEvent(() => (shown += 1));
  let promises = 0;
  const hook = createHook({
    init(_asyncId, type) {
      if (type === "PROMISE") promises += 1;
    },
  });
  hook.enable();
  try {
    await worker.run("go on");
  } finally {
    hook.disable();
  }
  return promises;
}

/** Answers with text in many deltas. */
function talkative(deltasPerBatch: number): Provider {
  const deltas = Array.from({ length: deltasPerBatch }, (): Event => ({
    type: "block_delta",
    index: 0,
    text: "word ",
  }));
  return {
    name: "talkative",
    model: "talkative-1",
    async *stream() {
      yield [{ type: "block_start", index: 0, kind: "text" }];
      for (let i = 0; i < BATCHES; i++) yield deltas;
      yield [
        { type: "block_stop", index: 0 },
        { type: "status", status: "response_finished", stop: { reason: "end", raw: "end" } },
      ];
    },
  };
}
