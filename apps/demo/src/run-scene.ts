import type { Item, RunEvent, RunStatus } from "llm-worker";
import { createDemoWorker, type DemoWorkerOptions } from "./demo-worker.js";
import { FactCollector, type RunFacts } from "./facts.js";
import type { Scene } from "./scene.js";

/** What came of one question. */
export interface SceneResult {
  readonly question: string;
  readonly status: RunStatus;
  readonly answer: string;
  readonly facts: RunFacts;
  readonly items: readonly Item[];
}

/** What a scene is played with. */
export interface SceneOptions extends Omit<DemoWorkerOptions, "confined"> {
  readonly onEvent: (event: RunEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * Asks the scene's question and reports what happens as it happens.
 *
 * @throws RunError if the model cannot be had; the signal's reason if it is aborted
 */
export async function runScene(scene: Scene, options: SceneOptions): Promise<SceneResult> {
  const { provider, store, onEvent, signal } = options;
  const worker = createDemoWorker({ provider, store, confined: scene.confined });
  const collector = new FactCollector();
  const run = worker.stream(scene.prompt, { signal });
  for await (const event of run) {
    collector.add(event);
    onEvent(event);
  }
  const { status, text } = await run.result;
  signal.throwIfAborted();
  return {
    question: scene.prompt,
    status,
    answer: text,
    facts: collector.facts,
    items: worker.items,
  };
}
