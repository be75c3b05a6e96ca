import {
  type Hook,
  lazyLoad,
  leanLimits,
  MemoryFileBackend,
  offloadToFile,
  summaryAndContent,
  type ToolOutputPolicy,
  type WorkerDeps,
} from "llm-worker";
import { MemoryBlobStore } from "llm-worker-persistence";
import { inlineAll } from "./all-inline.js";
import { clearOldResults, truncateLarge } from "./eino-default.js";
import type { LoadStored } from "./reachability.js";
import type { Looks } from "./replaying-provider.js";

/** One way to run the sessions. */
export interface Setup {
  readonly name: string;
  readonly policy: string;
  /** Absent for what has none. */
  readonly profile?: string | undefined;
  readonly looks: readonly Looks[];
  /** What a session's worker gets; each session has a store of its own. */
  open(): OpenSetup;
  readonly beforeRequest?: Hook<"preLlmRequest"> | undefined;
}

export interface OpenSetup {
  readonly deps: Omit<WorkerDeps, "provider" | "tools">;
  readonly loadStored?: LoadStored | undefined;
}

type Profile = NonNullable<WorkerDeps["profile"]>;
type ProfileName = Extract<Profile, string>;

const PROFILE_NAMES: readonly ProfileName[] = ["lean", "balanced", "fresh"];

/** What the others are compared with: every output inline, for good. */
export const allInline: Setup = {
  name: "all_inline",
  policy: "all_inline",
  looks: ["never"],
  open: () => ({ deps: { policy: inlineAll } }),
};

const einoDefault: Setup = {
  name: "eino_default",
  policy: "eino_default",
  looks: ["never"],
  beforeRequest: clearOldResults,
  open: () => ({ deps: { policy: truncateLarge } }),
};

/** `fresh` as far as it is about outputs: calls stay as the model wrote them. */
const freshOutputsOnly: Profile = {
  limits: { ...leanLimits, inlineMaxBytes: 1024, freshMaxBytes: 16_384 },
  aging: { protectedTurns: 3, minSavingsBytes: 32_768 },
};

/** All setups, the one that the others are compared with first. */
export const setups: readonly Setup[] = [
  allInline,
  einoDefault,
  offloading(),
  ...PROFILE_NAMES.map((name) => storing(lazyLoad(), name)),
  storing(lazyLoad(), "fresh_outputs_only", freshOutputsOnly),
  ...PROFILE_NAMES.map((name) => storing(summaryAndContent(), name)),
  ...PROFILE_NAMES.map((name) => offloading(name)),
];

function storing(
  policy: ToolOutputPolicy,
  profileName: ProfileName | "fresh_outputs_only",
  profile: Profile = profileName as ProfileName,
): Setup {
  return {
    name: `${policy.name}/${profileName}`,
    policy: policy.name,
    profile: profileName,
    // Only where outputs are whole at first is there a difference.
    looks: ["never", ...(profileName === "fresh" ? (["unseen"] as const) : []), "every"],
    open() {
      const store = new MemoryBlobStore();
      return {
        deps: { store, policy, profile },
        loadStored: ({ blob }) => loadBlob(store, blob?.id),
      };
    },
  };
}

/** With a profile there is a blob store too, for the common budget of parallel results. */
function offloading(profile?: ProfileName): Setup {
  return {
    name: profile === undefined ? "offload_20k_tokens" : `offload_to_file/${profile}`,
    policy: "offload_to_file",
    profile,
    looks: ["never", "every"],
    open() {
      const backend = new MemoryFileBackend();
      const store = new MemoryBlobStore();
      const policy = offloadToFile({ backend });
      return {
        deps: profile === undefined ? { policy } : { policy, profile, store },
        async loadStored({ files, blob }) {
          const [file] = files ?? [];
          if (file === undefined) return loadBlob(store, blob?.id);
          return backend.read(file.path, 0, file.byteCount);
        },
      };
    },
  };
}

async function loadBlob(
  store: MemoryBlobStore,
  id: string | undefined,
): Promise<Uint8Array | undefined> {
  if (id === undefined) return undefined;
  const content = await store.load(id);
  if (content.type === "binary") return content.bytes;
  return Buffer.from(content.type === "text" ? content.text : content.raw);
}
