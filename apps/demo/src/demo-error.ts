/** Ends the demo with one line on stderr and an exit code. */
export class DemoError extends Error {
  readonly exitCode: number;
  constructor(message: string, options: ErrorOptions & { readonly exitCode?: number } = {}) {
    super(message, options);
    this.name = "DemoError";
    this.exitCode = options.exitCode ?? 1;
  }
}

/** The command line cannot be understood. */
export class UsageError extends DemoError {
  constructor(message: string) {
    super(`${message} (--help tells more)`, { exitCode: 2 });
    this.name = "UsageError";
  }
}

/** Reason of an abort from outside: a signal, or a reader that is gone. */
export class Interruption extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.name = "Interruption";
    this.exitCode = exitCode;
  }
}

/** What a failed file operation means, in words. */
export function describeFileError(error: unknown): string {
  const code = errnoOf(error);
  switch (code) {
    case "ENOENT":
      return "no such file or directory";
    case "EACCES":
    case "EPERM":
      return "permission denied";
    case "ENOTDIR":
      return "a part of the path is not a directory";
    case "ELOOP":
      return "too many symbolic links";
    case "ENAMETOOLONG":
      return "the name is too long";
    case "ENOSPC":
      return "no space left on the device";
    default:
      return code ?? messageOf(error);
  }
}

/** The first line of what was thrown. */
export function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.split("\n", 1)[0] ?? message;
}

function errnoOf(error: unknown): string | undefined {
  const isCoded = typeof error === "object" && error !== null && "code" in error;
  return isCoded && typeof error.code === "string" ? error.code : undefined;
}
