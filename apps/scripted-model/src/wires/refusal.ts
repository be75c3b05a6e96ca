/** A request that is answered with an error, in the provider's shape. */
export class Refusal extends Error {
  readonly status: number;
  /** The body of the answer. */
  readonly document: unknown;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    message: string,
    document: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.document = document;
    this.headers = headers;
  }
}
