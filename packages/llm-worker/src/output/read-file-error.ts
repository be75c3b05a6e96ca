import { blobStoreErrorCode } from "../blob/blob-store.js";
import { LlmWorkerError } from "../errors.js";

/** Why a file could not be read, for programs. */
export type ReadFileErrorCode =
  | "unknown_path"
  | "out_of_range"
  | "not_found"
  | "unavailable"
  | "corrupt"
  | "aborted";

/** The tool that reads offloaded files could not answer; the message tells the model what to do. */
export class ReadFileError extends LlmWorkerError {
  readonly code: ReadFileErrorCode;
  constructor(code: ReadFileErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What reading has thrown, in words for the model. */
export function toReadFileError(thrown: unknown, signal: AbortSignal): ReadFileError {
  if (thrown instanceof ReadFileError) return thrown;
  const cause = { cause: thrown };
  if (signal.aborted) return new ReadFileError("aborted", "the call was aborted", cause);
  switch (blobStoreErrorCode(thrown)) {
    case "not_found":
    case "invalid_id":
      return new ReadFileError(
        "not_found",
        "the file no longer exists; run the tool that made it again",
        cause,
      );
    case "corrupt":
      return new ReadFileError(
        "corrupt",
        "the file is damaged; run the tool that made it again",
        cause,
      );
    case "forbidden":
      return new ReadFileError(
        "unavailable",
        "access to the file is refused; trying again will not help, run the tool that made it again",
        cause,
      );
    case "unavailable":
    case "no_space":
      return new ReadFileError(
        "unavailable",
        "the file cannot be reached right now; it may still be there, try again",
        cause,
      );
  }
}
