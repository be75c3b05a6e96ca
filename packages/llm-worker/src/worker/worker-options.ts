import type { BlobStoreLike } from "../blob/blob-store.js";
import type { Provider } from "../client/provider.js";
import type { Item } from "../model/item.js";
import type { GenerationOptions } from "../model/request.js";
import type { OutputLimits } from "../output/output-limits.js";
import type { ToolOutputPolicy } from "../output/policy.js";
import type { OutputProfile, ProfileName } from "../output/profiles.js";
import type { Tool } from "../tool/tool.js";
import type { ToolServerOptions } from "../tool/tool-server.js";
import type { RunLimits } from "./run-context.js";
import type { EstimateText } from "./token-estimator.js";

/** What a worker runs with: everything that is not its memory. */
export interface WorkerDeps {
  readonly provider: Provider;
  readonly tools?: readonly Tool[] | undefined;
  /**
   * Where large outputs go. With a store the `inspect` tool registers itself, and the policy is
   * `lazyLoad()` unless another is given.
   */
  readonly store?: BlobStoreLike | undefined;
  /** Default: `lazyLoad()` with a store, `summaryAndContent()` without one. */
  readonly policy?: ToolOutputPolicy | undefined;
  /**
   * How many bytes the conversation spends on outputs: see `profiles`. Default `lean`. What `fresh`
   * takes out of the history goes to the store; without one, nothing is taken out.
   */
  readonly profile?: ProfileName | OutputProfile | undefined;
  /** When an output is stored and how long its summary may be; on top of the profile. */
  readonly output?: Partial<OutputLimits> | undefined;
  /** The same for single tools, by name; on top of `output`. */
  readonly outputByTool?: Readonly<Record<string, Partial<OutputLimits>>> | undefined;
  /**
   * Bytes that the parallel results of one turn may have in the history together; beyond that the
   * largest go to the store, if there is one. Default 65 536.
   */
  readonly turnInlineMaxBytes?: number | undefined;
  /**
   * `false`: do not register `inspect`, for a worker with a tool of its own by that name.
   * Otherwise bounds of its answers.
   */
  readonly inspect?: false | { readonly maxAnswerBytes?: number | undefined } | undefined;
  readonly toolServer?: ToolServerOptions | undefined;
  readonly limits?: RunLimits | undefined;
  /** Tokens of a text, before correction by what the provider bills. Default: by script. */
  readonly estimateTextTokens?: EstimateText | undefined;
  /** Milliseconds that one hook may take. Default 600 000. */
  readonly hookTimeoutMs?: number | undefined;
}

/** What a new worker is made of. */
export interface WorkerOptions extends WorkerDeps {
  readonly systemPrompt?: string | undefined;
  readonly generation?: GenerationOptions | undefined;
  /** A history to begin with. */
  readonly items?: readonly Item[] | undefined;
}

/** What can be told of one run. */
export interface RunOptions {
  /** Aborting it ends the run with status `aborted`; the history can be continued. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What somebody decided on the calls of a paused run, by call id. Ids of other calls are passed over.
 * Of one call a denial counts before an answer, and that before an approval.
 */
export interface ResumeDecisions {
  /** Run these. They meet the hooks once more, which may change or deny them, but not pause them again. */
  readonly approve?: readonly string[] | undefined;
  /** Do not run these; the model is told the reason. */
  readonly deny?: Readonly<Record<string, string>> | undefined;
  /** Do not run these; this is their result. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
}
