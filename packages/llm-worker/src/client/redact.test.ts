import { expect, test } from "vitest";
import { redactSecrets, secretsIn } from "./redact.js";

test("keys are taken out of an error wherever they stand; other headers are not secrets", () => {
  const secrets = secretsIn({
    authorization: "Bearer sk-123456",
    "x-goog-api-key": "goog-7890",
    "content-type": "application/json",
    "x-key": "abc",
  });
  const error = {
    code: "auth",
    message: "Bearer sk-123456 and sk-123456, goog-7890, application/json, abc",
    retryable: false,
    providerType: "key_goog-7890",
  } as const;
  expect(redactSecrets(error, secrets)).toEqual({
    ...error,
    message: "[redacted] and [redacted], [redacted], application/json, abc",
    providerType: "key_[redacted]",
  });
});
