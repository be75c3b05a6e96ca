import type { CheckpointMoment, Item, WorkerSnapshot } from "llm-worker";
import type { BlobId } from "llm-worker/blob";

/** Version of the entries that this code writes, and the only one that it reads. */
export const SESSION_LOG_VERSION = 1;

/** One line of a session's log. */
export type SessionEntry = EntryHeader & SessionChange;

interface EntryHeader {
  readonly v: typeof SESSION_LOG_VERSION;
  /** Place in the log, from 0 and without gaps. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Who wrote it: differs between any two openings of a session. */
  readonly writer: string;
  /** Blobs that the session has seen since the entry before. */
  readonly blobIds?: readonly BlobId[] | undefined;
}

export type OpenTurn = NonNullable<WorkerSnapshot["openTurn"]>;
type PauseState = NonNullable<WorkerSnapshot["pause"]>;
type RunEnd = Omit<Extract<CheckpointMoment, { at: "run_end" }>, "at">;

/** What an entry says has happened. Items are at the end of the history unless said otherwise. */
export type SessionChange =
  | {
      readonly type: "session_start";
      readonly sessionId: string;
      readonly forkedFrom?: { readonly sessionId: string; readonly entryCount: number } | undefined;
      readonly snapshot: WorkerSnapshot;
    }
  /** Somebody outside said something: a prompt, context, or what to do with a paused turn. */
  | {
      readonly type: "user_input";
      readonly items: readonly Item[];
      /** The paused run goes on. */
      readonly resumes?: true | undefined;
      /** Of the open turn, by position of the call. */
      readonly verdicts?: OpenTurn["verdicts"] | undefined;
      /** Of the open turn: what follows its results. */
      readonly followUp?: readonly Item[] | undefined;
    }
  /** The model answered. With `openTurn`, the calls behind the last result wait for their results. */
  | {
      readonly type: "assistant_items";
      readonly items: readonly Item[];
      readonly openTurn?: Pick<OpenTurn, "stop"> | undefined;
    }
  /** Calls of the open turn have results, while others are awaited. */
  | { readonly type: "tool_results"; readonly results: readonly PositionedResult[] }
  /** The open turn is closed. */
  | { readonly type: "tool_results"; readonly items: readonly (Item | RecordedResult)[] }
  | { readonly type: "turn_end"; readonly turn: number }
  | { readonly type: "cache_locked"; readonly lockedItemCount: number }
  /** Parts of the history were replaced: by shorter items, as a rule. */
  | { readonly type: "pruned"; readonly edits: readonly HistoryEdit[] }
  | ({ readonly type: "run_outcome"; readonly pause?: PauseState | undefined } & RunEnd)
  | { readonly type: "config_changed"; readonly changed: ConfigChange };

/** A result of the open turn, by position of its call. */
export interface PositionedResult {
  readonly position: number;
  readonly item: OpenTurn["results"][number];
}

/** Stands for a result that an entry before has brought, by position of its call. */
export interface RecordedResult {
  readonly type: "recorded";
  readonly position: number;
}

/** `items` in the place of `deleteCount` items from `start`; places are those before all edits. */
export interface HistoryEdit {
  readonly start: number;
  readonly deleteCount: number;
  readonly items: readonly Item[];
}

/** Fields that have a new value; `null` takes the value away. */
export interface ConfigChange {
  readonly phase?: WorkerSnapshot["phase"] | undefined;
  readonly lockedItemCount?: number | undefined;
  readonly systemPrompt?: string | null | undefined;
  readonly generation?: WorkerSnapshot["generation"] | null;
  readonly openTurn?: OpenTurn | null | undefined;
  readonly pause?: PauseState | null | undefined;
  readonly knownBlobIds?: readonly BlobId[] | undefined;
}
