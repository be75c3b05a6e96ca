import { HookRegistry } from "../hook/hook-registry.js";
import { createInspectTool } from "../inspect/inspect-tool.js";
import type { Item } from "../model/item.js";
import { lazyLoad } from "../output/lazy-load.js";
import { checkNumbers } from "../output/output-limits.js";
import { summaryAndContent } from "../output/summary-and-content.js";
import { ToolDefinitionError } from "../tool/tool.js";
import { ToolServer } from "../tool/tool-server.js";
import { outputSetup } from "./output-setup.js";
import { PrefixWatch } from "./prefix-watch.js";
import type { RunDeps } from "./run-context.js";
import { TokenEstimator } from "./token-estimator.js";
import type { WorkerDeps } from "./worker-options.js";

/** What the tools that read back may know of a worker's memory. */
export interface Memory {
  readonly isKnownId: (id: string) => boolean;
  readonly history: () => readonly Item[];
}

/**
 * What runs work with, of what a worker was given.
 *
 * @throws ToolDefinitionError if two tools have one name; OutputLimitsError if a limit cannot be kept
 */
export function createDeps(options: WorkerDeps, { isKnownId, history }: Memory): RunDeps {
  const { store, limits = {}, toolServer, hookTimeoutMs } = options;
  checkNumbers({ ...limits, hookTimeoutMs, "toolServer.timeoutMs": toolServer?.timeoutMs });
  const policy = options.policy ?? (store === undefined ? summaryAndContent() : lazyLoad());
  const tools = new ToolServer(toolServer);
  for (const tool of options.tools ?? []) tools.register(tool);
  if (store !== undefined && options.inspect !== false) {
    if (tools.get("inspect") !== undefined) {
      throw new ToolDefinitionError(
        "inspect",
        "a worker with a store registers its own tool of this name; " +
          "rename yours, or pass inspect: false to keep yours and go without",
      );
    }
    tools.register(
      createInspectTool({
        store,
        maxAnswerBytes: options.inspect?.maxAnswerBytes,
        isKnownId,
      }),
    );
  }
  for (const tool of policy.createTools?.(history) ?? []) {
    if (tools.get(tool.name) !== undefined) {
      throw new ToolDefinitionError(
        tool.name,
        `the policy ${policy.name} registers its own tool of this name; ` +
          "rename yours, or give the policy's tool another name",
      );
    }
    tools.register(tool);
  }
  const { limitsOf, turnInlineMaxBytes, aging } = outputSetup(options);
  const hooks = new HookRegistry({ timeoutMs: hookTimeoutMs });
  if (aging !== undefined) hooks.add("preLlmRequest", aging, { name: "aging" });
  return {
    provider: options.provider,
    tools,
    hooks,
    policy,
    store,
    limits,
    turnInlineMaxBytes,
    estimator: new TokenEstimator(options.estimateTextTokens),
    prefix: new PrefixWatch(),
    limitsOf,
  };
}
