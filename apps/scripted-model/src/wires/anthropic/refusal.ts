/** Types of error of the Messages API that this server answers with, and their HTTP status. */
const STATUS = {
  invalid_request_error: 400,
  authentication_error: 401,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 529,
} as const;

/** What kind of error it is, in the provider's words. */
export type RefusalType = keyof typeof STATUS;

/** A request that is answered with an error. */
export class Refusal extends Error {
  readonly type: RefusalType;
  readonly status: number;
  constructor(type: RefusalType, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Refusal";
    this.type = type;
    this.status = STATUS[type];
  }
}

/** Refuses a request whose body is wrong at a place such as `messages.0.content`. */
export function refuse(place: string, problem: string): never {
  throw new Refusal("invalid_request_error", `${place}: ${problem}`);
}
