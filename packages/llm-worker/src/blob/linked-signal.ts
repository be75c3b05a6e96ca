/** A signal that is aborted when another is, or on its own account. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts this signal alone. */
  abort(reason: unknown): void;
  /** Ends the link. Whoever made it calls this when the work is over. */
  unlink(): void;
}

/** Those that follow a signal. One listener serves them all, and goes when the last of them does. */
const followers = new WeakMap<AbortSignal, Set<AbortController>>();

/**
 * Makes a signal that follows `parent` until it is unlinked. Nothing of it then stays with the parent:
 * a server gives one signal to all of its runs for as long as it lives, and `AbortSignal.any` leaves
 * a weak reference there for each (Node 20 never clears them) and costs about 25 times as much.
 */
export function linkSignal(parent: AbortSignal | undefined): LinkedSignal {
  const controller = new AbortController();
  if (parent?.aborted === true) controller.abort(parent.reason);
  else if (parent !== undefined) follow(parent, controller);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink: () => parent && unfollow(parent, controller),
  };
}

function follow(parent: AbortSignal, controller: AbortController): void {
  const others = followers.get(parent);
  if (others !== undefined) {
    others.add(controller);
    return;
  }
  followers.set(parent, new Set([controller]));
  parent.addEventListener("abort", abortFollowers, { once: true });
}

function unfollow(parent: AbortSignal, controller: AbortController): void {
  const all = followers.get(parent);
  if (all?.delete(controller) !== true || all.size > 0) return;
  followers.delete(parent);
  parent.removeEventListener("abort", abortFollowers);
}

function abortFollowers(this: AbortSignal): void {
  const all = followers.get(this);
  followers.delete(this);
  for (const controller of all ?? []) controller.abort(this.reason);
}
