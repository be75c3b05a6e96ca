import { LlmWorkerError } from "../errors.js";

/**
 * Why `inspect` has no answer.
 *
 * - `bad_selector`: not a selector. `wrong_kind`: not for this kind of value. `out_of_range`: outside
 *   of what there is. `missing_key`: the object has no such key.
 * - `not_found`: never stored, or deleted. `forbidden_id`: not an id of this session.
 * - `unavailable`: the store cannot be read now. `corrupt`: it does not hold what was stored.
 * - `aborted`: the call was.
 */
export type InspectErrorCode =
  | "bad_selector"
  | "wrong_kind"
  | "out_of_range"
  | "missing_key"
  | "not_found"
  | "forbidden_id"
  | "unavailable"
  | "corrupt"
  | "aborted";

/** Ends a reading; its message is told to the model and says what to do instead. */
export class InspectError extends LlmWorkerError {
  readonly code: InspectErrorCode;
  constructor(code: InspectErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
