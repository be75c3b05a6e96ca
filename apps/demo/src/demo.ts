import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { type DemoArguments, parseArguments } from "./arguments.js";
import { DemoError, Interruption, messageOf } from "./demo-error.js";
import { type Environment, openModel, type OpenModel, type StartModel } from "./model.js";
import { formatFacts, type PlayedScene, toJsonReport } from "./report.js";
import { runScene } from "./run-scene.js";
import { prepareScenes, type Scene } from "./scene.js";
import { keptStore, scratchStore, type StorePlace } from "./store-place.js";
import { chooseStyle } from "./style.js";
import { USAGE } from "./usage.js";
import { RunView, type Write } from "./view.js";
import { visibleText } from "./visible-text.js";

/** All that the demo touches outside of itself. */
export interface DemoIo {
  readonly write: Write;
  readonly writeError: Write;
  /** Whether `write` goes to a terminal. */
  readonly isTerminal: boolean;
  readonly env: Environment;
  /** What relative paths of the command line mean. */
  readonly currentDirectory: string;
  /** Where scratch directories are made; none is left there. */
  readonly temporaryDirectory: string;
  readonly startModel: StartModel;
  /** Its reason may be an {@link Interruption}. */
  readonly signal: AbortSignal;
}

type RunArguments = Extract<DemoArguments, { type: "run" }>;

/** Runs the demo and returns its exit code. Whatever goes wrong is one line of `writeError`. */
export async function runDemo(argv: readonly string[], io: DemoIo): Promise<number> {
  try {
    const parsed = parseArguments(argv);
    if (parsed.type === "help") io.write(USAGE);
    else await runWithScratch(parsed, io);
    return 0;
  } catch (thrown) {
    const error: unknown = io.signal.aborted ? io.signal.reason : thrown;
    io.writeError(`demo: ${visibleText(messageOf(error))}\n`);
    return error instanceof DemoError || error instanceof Interruption ? error.exitCode : 1;
  }
}

async function runWithScratch(parsed: RunArguments, io: DemoIo): Promise<void> {
  const scratchDirectory = await mkdtemp(join(io.temporaryDirectory, "llm-worker-demo-"));
  try {
    const scenes = await prepareScenes(parsed.task, { ...io, scratchDirectory });
    const place =
      parsed.storeDirectory === undefined
        ? scratchStore(scratchDirectory)
        : await keptStore(parsed.storeDirectory, io.currentDirectory);
    const model = await openModel(parsed.model, io.env, io.startModel);
    try {
      await playScenes({ scenes, place, model, format: parsed.format }, io);
    } finally {
      await model.close();
    }
  } finally {
    await rm(scratchDirectory, { recursive: true, force: true });
  }
}

interface Play {
  readonly scenes: readonly Scene[];
  readonly place: StorePlace;
  readonly model: OpenModel;
  readonly format: "text" | "json";
}

async function playScenes({ scenes, place, model, format }: Play, io: DemoIo): Promise<void> {
  const style = chooseStyle(io);
  const write: Write = format === "text" ? io.write : () => undefined;
  const played: PlayedScene[] = [];
  write(`model: ${visibleText(model.title)}\n`);
  for (const scene of scenes) {
    write(`\n${style.quiet(visibleText(scene.subject))}\n`);
    write(`${style.strong(visibleText(`? ${scene.prompt}`))}\n`);
    const view = new RunView(write, style);
    const result = await runScene(scene, {
      provider: model.provider,
      store: place.store,
      onEvent: (event) => view.show(event),
      signal: io.signal,
    });
    write(`\n${formatFacts(result.facts, style)}`);
    played.push({ result, historyFile: await place.saveHistory?.(result) });
  }
  write(`\n${describePlace(place, played)}\n`);
  if (format === "json") io.write(toJsonReport(model, place, played));
  assertFinished(played);
}

function describePlace(place: StorePlace, played: readonly PlayedScene[]): string {
  if (place.saveHistory === undefined) {
    return "The stored outputs lay in a scratch directory and are removed; --store DIR keeps them.";
  }
  const files = played.map(({ historyFile }) => historyFile).join("\n         ");
  return visibleText(`blobs:   ${place.blobDirectory}\nhistory: ${files}`);
}

function assertFinished(played: readonly PlayedScene[]): void {
  const stopped = played.find(({ result }) => result.status !== "finished");
  if (stopped === undefined) return;
  throw new DemoError(
    `the model was stopped before it had an answer (${stopped.result.status}) after ` +
      `${stopped.result.facts.requests.length} requests`,
  );
}
