import { type Item, type Phase, type Provider, prune, type RunResult, Worker } from "llm-worker";
import { type FsBlobStore, Session, type SessionStore } from "llm-worker-persistence";
import { createReadFileTool, type Question, questions } from "./files.js";

const QUESTIONS_PER_CONVERSATION = 4;
/** Every so manieth conversation has its session on disk. */
const LOGGED_EVERY = 4;
/** Every so manieth conversation its user goes away in the middle of an answer. */
const LEFT_EVERY = 16;

/** What all conversations of a soak share, as those of a server do. */
export interface Surroundings {
  readonly providers: readonly Provider[];
  readonly store: FsBlobStore;
  readonly sessions: SessionStore;
  /** Aborted at the end of the soak; each run of each conversation has it. */
  readonly shutdown: AbortSignal;
  /** A turn of any conversation has ended. */
  readonly onTurn: () => void;
}

/**
 * One conversation from its first question to the removal of its blobs. Which wire, questions and
 * features it has follows from its number, so that all of them come up alike at all times.
 *
 * @returns answers that did not say what they had to
 */
export async function converse(
  number: number,
  { providers, store, sessions, shutdown, onTurn }: Surroundings,
): Promise<readonly string[]> {
  const provider = providers[number % providers.length];
  if (provider === undefined) throw new RangeError("no providers");
  const worker: Worker<Phase> = createWorker(number, provider, store);
  worker.onEvent(({ type }) => type === "turn_end" && onTurn());
  const wrongAnswers: string[] = [];
  const session = number % LOGGED_EVERY === 1 ? await Session.start(sessions, worker) : undefined;
  try {
    for (let i = 0; i < QUESTIONS_PER_CONVERSATION && !shutdown.aborted; i++) {
      const question = questions[(number + i) % questions.length];
      if (question === undefined) throw new RangeError("no questions");
      const result = await ask(worker, question, shutdown, (number + i) % 2 === 0);
      if (result.status === "aborted" || result.text.includes(question.answerHas)) continue;
      wrongAnswers.push(`${provider.name}: "${question.text}" got ${result.status} ${result.text}`);
    }
    if (number % LEFT_EVERY === 0 && !shutdown.aborted) await leave(worker, shutdown);
  } finally {
    await session?.close();
    if (session !== undefined) await sessions.delete(session.id);
    await removeBlobs(worker.items, store);
  }
  return wrongAnswers;
}

function createWorker(number: number, provider: Provider, store: FsBlobStore): Worker<Phase> {
  const worker = new Worker({
    provider,
    store,
    tools: [createReadFileTool()],
    systemPrompt: "You answer questions about files.",
  });
  let shown = 0;
  worker.onTextBlock((moment) => (shown += moment.type === "delta" ? moment.text.length : 0));
  worker.onToolUseBlock((moment) => (shown += moment.type === "delta" ? moment.text.length : 0));
  worker.hook("preToolCall", () => undefined);
  worker.hook("onTurnEnd", () => Promise.resolve(undefined));
  if (number % 3 === 0) worker.hook("preLlmRequest", prune({ store, minSavingsTokens: 256 }));
  return number % 2 === 0 ? worker.lock() : worker;
}

async function ask(
  worker: Worker<Phase>,
  { text }: Question,
  signal: AbortSignal,
  isStreamed: boolean,
): Promise<RunResult> {
  if (!isStreamed) return worker.run(text, { signal });
  const stream = worker.stream(text, { signal });
  for await (const event of stream) if (event.type === "run_end") break;
  return stream.result;
}

/** Begins one more answer and goes away at its first delta. */
async function leave(worker: Worker<Phase>, signal: AbortSignal): Promise<void> {
  const stream = worker.stream("What does notes.txt say about the budget?", { signal });
  for await (const event of stream) if (event.type === "block_delta") break;
  await stream.result;
}

async function removeBlobs(items: readonly Item[], store: FsBlobStore): Promise<void> {
  for (const item of items) {
    if (item.type === "tool_result" && item.blob !== undefined) await store.delete(item.blob.id);
  }
}
