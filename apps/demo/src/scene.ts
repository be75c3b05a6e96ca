import { mkdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { Task } from "./arguments.js";
import { DemoError } from "./demo-error.js";
import { formatBytes } from "./numbers.js";
import { createSamples, writeSample } from "./sample-data.js";
import {
  type Confined,
  confineToDirectory,
  confineToFile,
  PathError,
  readableSize,
} from "./tools/confined.js";

/** One question, and what the model may see to answer it. */
export interface Scene {
  /** What it is about, for the person at the terminal. */
  readonly subject: string;
  /** What the model is asked. It names the file as the tools take it. */
  readonly prompt: string;
  readonly confined: Confined;
}

/** Where scenes are set. */
export interface ScenePlaces {
  /** What relative paths of the command line mean. */
  readonly currentDirectory: string;
  /** Made samples go here. */
  readonly scratchDirectory: string;
  readonly signal: AbortSignal;
}

/** @throws DemoError if there is nothing to read where the task says */
export async function prepareScenes(task: Task, places: ScenePlaces): Promise<readonly Scene[]> {
  if (task.type === "samples") return prepareSamples(task.seed, places);
  const path = resolve(places.currentDirectory, task.path);
  try {
    return [
      task.type === "file"
        ? await createFileScene(path, task.path, task.question)
        : await createDirectoryScene(path, task.path, task.question),
    ];
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    throw new DemoError(`${task.path}: ${error.problem}`, { cause: error });
  }
}

async function prepareSamples(seed: number, places: ScenePlaces): Promise<readonly Scene[]> {
  const directory = join(places.scratchDirectory, "samples");
  await mkdir(directory);
  const scenes: Scene[] = [];
  for (const { name, question, text } of createSamples(seed)) {
    const path = join(directory, name);
    await writeSample(path, text, places.signal);
    scenes.push(await createFileScene(path, `${name}, made for this run`, question));
  }
  return scenes;
}

async function createFileScene(
  path: string,
  title: string,
  question: string | undefined,
): Promise<Scene> {
  const name = basename(path);
  const confined = await confineToFile(path);
  const place = await confined.locate(name);
  if (place.isDirectory) throw new PathError(path, "is a folder; --dir asks about the files in it");
  const byteCount = await readableSize(place);
  return {
    subject: `${title} (${formatBytes(byteCount)})`,
    prompt: promptFor(name, question),
    confined,
  };
}

async function createDirectoryScene(path: string, title: string, question: string): Promise<Scene> {
  const confined = await confineToDirectory(path);
  if (!(await confined.locate(".")).isDirectory) {
    throw new PathError(path, "is not a folder; without --dir it is read as a file");
  }
  return { subject: `the files in ${title}`, prompt: question, confined };
}

/** A name that anybody takes for a file's. */
const PLAIN_NAME = /^[\w-][\w.-]*\.[A-Za-z]\w*$/u;

function promptFor(name: string, question: string | undefined): string {
  const relative = PLAIN_NAME.test(name) ? name : `./${name}`;
  const mention = /\s/u.test(relative) ? `"${relative}"` : relative;
  if (question === undefined) return `How large is ${mention}, and what does its last line say?`;
  return question.includes(mention) ? question : `${question} (in ${mention})`;
}
