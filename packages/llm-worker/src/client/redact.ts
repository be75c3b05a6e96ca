import type { LlmErrorInfo } from "../model/event.js";

const SECRET_HEADER = /auth|key|token|secret|cookie/i;
/** Shorter values are words that may occur in any message. */
const MIN_SECRET_CHARS = 6;
const REDACTED = "[redacted]";

/** The secrets among request headers: with and without a scheme word such as `Bearer`. */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (!SECRET_HEADER.test(name)) continue;
    secrets.push(value, value.slice(value.indexOf(" ") + 1));
  }
  return secrets.filter((secret) => secret.length >= MIN_SECRET_CHARS);
}

/** The same error without any of the secrets: servers do echo the key that they refuse. */
export function redactSecrets(error: LlmErrorInfo, secrets: readonly string[]): LlmErrorInfo {
  let { message, providerType } = error;
  for (const secret of secrets) {
    message = message.replaceAll(secret, REDACTED);
    providerType = providerType?.replaceAll(secret, REDACTED);
  }
  return { ...error, message, ...(providerType === undefined ? {} : { providerType }) };
}
