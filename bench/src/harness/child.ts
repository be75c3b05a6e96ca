import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What a child process can do for its parent, by name. */
export type ChildHandlers = Readonly<Record<string, (input: never) => unknown>>;

interface CallMessage {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
}
type AnswerMessage =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly error: string };

/** In a child process: answers the parent's calls until the parent goes. */
export function serveCalls(handlers: ChildHandlers): void {
  process.on("message", ({ id, name, input }: CallMessage) => {
    const answer = (message: AnswerMessage): void => void process.send?.(message);
    const call = async (): Promise<unknown> => {
      const handler = handlers[name];
      if (handler === undefined) throw new Error(`the child has no "${name}"`);
      // The parent's call names a handler of this script and brings that handler's input.
      return handler(input as never);
    };
    call().then(
      (output) => answer({ id, output }),
      (error: unknown) => {
        answer({
          id,
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        });
      },
    );
  });
  process.on("disconnect", () => process.exit());
  process.send?.("ready");
}

export interface ChildOptions {
  readonly execArgv?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** A call that takes longer is given up with an error. */
  readonly timeoutMs?: number | undefined;
}

/** A process of its own that runs a script which calls {@link serveCalls}. */
export interface Child {
  /** @throws Error with what the child threw, when it ended, or after the time-out */
  call<Output>(name: string, input?: unknown): Promise<Output>;
  close(): Promise<void>;
}

/** Starts a script in a process of its own. @throws Error if it ends before it is ready */
export async function startChild(
  script: URL,
  { execArgv = [], args = [], env, timeoutMs = 600_000 }: ChildOptions = {},
): Promise<Child> {
  const child = fork(fileURLToPath(script), [...args], {
    execArgv: [...execArgv],
    serialization: "advanced",
    ...(env === undefined ? {} : { env }),
  });
  const exited = once(child, "exit");
  const gone = exited.then(([code, signal]): never => {
    throw new Error(`${script.pathname} ended with ${String(signal ?? code)}`);
  });
  gone.catch(() => undefined);
  await Promise.race([once(child, "message"), gone]);
  let calls = 0;
  const answers = new Map<number, (message: AnswerMessage) => void>();
  child.on("message", (message: AnswerMessage) => {
    answers.get(message.id)?.(message);
    answers.delete(message.id);
  });
  return {
    async call<Output>(name: string, input?: unknown): Promise<Output> {
      const id = ++calls;
      let timer: NodeJS.Timeout | undefined;
      const answered = new Promise<AnswerMessage>((resolve, reject) => {
        answers.set(id, resolve);
        timer = setTimeout(() => {
          child.kill("SIGKILL");
          reject(new Error(`no answer after ${timeoutMs / 1000} s`));
        }, timeoutMs);
      });
      try {
        child.send({ id, name, input } satisfies CallMessage);
        const message = await Promise.race([answered, gone]);
        if ("error" in message) throw new Error(message.error);
        // The caller names what the child's handler gives.
        return message.output as Output;
      } finally {
        clearTimeout(timer);
      }
    },
    async close(): Promise<void> {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** Runs one call in a fresh process. */
export async function callOnce<Output>(
  script: URL,
  name: string,
  input: unknown,
  options?: ChildOptions,
): Promise<Output> {
  const child = await startChild(script, options);
  try {
    return await child.call<Output>(name, input);
  } finally {
    await child.close();
  }
}
