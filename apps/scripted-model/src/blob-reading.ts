import { inspectInput, type KnownTool } from "./tools.js";
import type { Question } from "./question.js";
import { type BlobSummary, type InspectAnswer, readInspectAnswer } from "./read-results.js";
import { ask, type Script } from "./script.js";

/** So many `inspect` calls the model makes for one question, whatever it looks for. */
export const MAX_INSPECT_CALLS = 8;

/** What the work on one question has at hand. */
export interface Desk {
  readonly question: Question;
  readonly tools: readonly KnownTool[];
  /** Where in the history the question stands. */
  readonly questionIndex: number;
  /** Calls of `inspect` that the work has asked for so far. */
  inspectCalls: number;
}

/** An output that was stored and can no longer be had. */
export interface GoneOutput {
  /** Its place in the history. */
  readonly index: number;
  readonly how: string;
}

/** An answer of `inspect` that shows something. */
export type Part = Extract<InspectAnswer, { type: "part" }>;

/** Reads in one stored output, within the limit of the question. */
export class BlobReading {
  readonly blob: BlobSummary;
  /** What was asked for without success, for the answer. */
  readonly checked: string[] = [];
  /** Failures in the words of the tool. */
  readonly failures: string[] = [];
  /** Where in the history it turned out that the output can no longer be had, and how. */
  gone: GoneOutput | undefined;
  #isUnreachable = false;
  readonly #desk: Desk;
  readonly #source: string;
  readonly #tool: KnownTool | undefined;

  constructor(desk: Desk, blob: BlobSummary, source: string) {
    this.#desk = desk;
    this.#source = source;
    this.#tool = desk.tools.find((tool) => tool.role === "inspect");
    this.blob = blob;
  }

  /** Whether the request declares a tool that reads stored outputs. */
  get hasTool(): boolean {
    return this.#tool !== undefined;
  }

  get callsLeft(): number {
    const isClosed = this.#tool === undefined || this.gone !== undefined || this.#isUnreachable;
    return isClosed ? 0 : MAX_INSPECT_CALLS - this.#desk.inspectCalls;
  }

  /** The part that a selector names; nothing if it cannot be had. */
  *read(selector: string): Script<Part | undefined> {
    const answer = yield* this.#inspect(selector, undefined);
    if (answer?.type === "part") return answer;
    return undefined;
  }

  *#inspect(selector: string, after: number | undefined): Script<InspectAnswer | undefined> {
    if (this.#tool === undefined || this.callsLeft <= 0) return undefined;
    this.#desk.inspectCalls++;
    const input = inspectInput(this.#tool, this.blob.blobId, selector);
    const what = selector === "" ? "its beginning" : selector;
    const result = yield* ask(
      { name: this.#tool.name, input, after },
      `The result of ${this.#source} is stored (${this.blob.totals}); I read ${what}.`,
    );
    if (result === undefined) return undefined;
    const answer = readInspectAnswer(result.text, result.isError);
    if (answer.type === "part") return answer;
    if (/not_found|deleted|gone/iu.test(answer.code)) {
      this.gone = { index: result.index, how: "no longer exists" };
    } else if (/corrupt|forbidden/iu.test(answer.code)) {
      this.gone = { index: result.index, how: "can no longer be read" };
    } else if (/unavailable|unreachable|timeout/iu.test(answer.code)) {
      if (after === undefined) return yield* this.#inspect(selector, result.index);
      this.#isUnreachable = true;
    }
    // A key that is not there was only guessed.
    if (answer.code !== "missing_key") this.failures.push(`${what}: ${answer.message}`);
    return answer;
  }
}
