import { LlmWorkerError } from "../errors.js";

/** No API key was given and none is in the environment. */
export class MissingApiKeyError extends LlmWorkerError {
  readonly code = "missing_api_key";

  /**
   * @param service what the key is for, such as `Anthropic`
   * @param variable the environment variable that was looked at
   */
  constructor(service: string, variable: string) {
    super(`${service} needs an API key: set ${variable} or pass apiKey`);
  }
}
