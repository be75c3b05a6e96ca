import { OutputLimitsError } from "../errors.js";
import type { Hook } from "../hook/hook.js";
import { checkNumbers, type OutputLimits, resolveOutputLimits } from "../output/output-limits.js";
import { type OutputProfile, profiles } from "../output/profiles.js";
import { prune } from "./prune.js";
import { DEFAULT_TURN_INLINE_MAX_BYTES } from "./turn-budget.js";
import type { WorkerDeps } from "./worker-options.js";

/** What the profile and the limits of a worker come to. */
export interface OutputSetup {
  readonly limitsOf: (toolName: string) => OutputLimits;
  readonly turnInlineMaxBytes: number;
  /** Takes out of the history what has grown old, if the profile says so and there is a store. */
  readonly aging?: Hook<"preLlmRequest"> | undefined;
}

/**
 * All limits are looked at now, so that a wrong one is an error of the constructor.
 *
 * @throws OutputLimitsError if a limit cannot be kept, or there is no such profile
 */
export function outputSetup(options: WorkerDeps): OutputSetup {
  const { store, output, outputByTool = {} } = options;
  const { turnInlineMaxBytes = DEFAULT_TURN_INLINE_MAX_BYTES } = options;
  checkNumbers({ turnInlineMaxBytes });
  const { limits, aging } = profileOf(options);
  const common = resolveOutputLimits(limits, output);
  const own = new Map(
    Object.entries(outputByTool).map(([name, ofTool]) => [
      name,
      resolveOutputLimits(limits, output, ofTool),
    ]),
  );
  return {
    limitsOf: (toolName) => own.get(toolName) ?? common,
    turnInlineMaxBytes,
    ...(aging === undefined || store === undefined
      ? {}
      : { aging: prune({ ...aging, store, output: common }) }),
  };
}

function profileOf({ profile = "lean" }: WorkerDeps): OutputProfile {
  if (typeof profile === "object") return profile;
  if (Object.hasOwn(profiles, profile)) return profiles[profile];
  throw new OutputLimitsError(
    `there is no profile ${JSON.stringify(profile)}: use ${Object.keys(profiles).join(", ")}`,
  );
}
