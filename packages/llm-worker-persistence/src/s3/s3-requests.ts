import { setTimeout as sleep } from "node:timers/promises";
import { linkSignal, startTimer } from "llm-worker/blob";
import { checkedLimit } from "../checked-limit.js";
import { growingDelayMs } from "./retry-delay.js";
import { isClockSkew, isExpired, isTransient, S3Failure, toS3Failure } from "./s3-failure.js";
import { DEFAULT_IDLE_TIMEOUT_MS, DEFAULT_MAX_ATTEMPTS, type S3Options } from "./s3-options.js";
import {
  loadS3Sdk,
  type S3ClientConfig,
  type S3ClientLike,
  type S3Input,
  type S3OperationName,
  type S3Output,
  type S3Sdk,
} from "./s3-sdk.js";

/** A body that is uploaded more slowly than this has stopped. */
const MIN_UPLOAD_BYTES_PER_MS = 64;

/** How one request is sent. */
export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  /** So many of the attempts have been used up before. */
  readonly failedAttempts?: number | undefined;
  /** Told of each failure that is followed by another attempt. */
  readonly onRetry?: ((failure: S3Failure) => void) | undefined;
}

interface Connection {
  readonly sdk: S3Sdk;
  readonly client: S3ClientLike;
}

/** Sends requests to S3, again and again where that may help, and never without end. */
export class S3Requests {
  readonly idleTimeoutMs: number;
  readonly maxAttempts: number;
  readonly #given: S3ClientLike | S3ClientConfig;
  readonly #retryDelayMs: (failedAttempts: number) => number;
  #connection: Promise<Connection> | undefined;

  constructor(options: S3Options) {
    this.#given = options.client ?? {};
    this.idleTimeoutMs = options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS;
    this.maxAttempts = checkedLimit("maxAttempts", options.maxAttempts ?? DEFAULT_MAX_ATTEMPTS);
    this.#retryDelayMs = options.retryDelayMs ?? growingDelayMs;
  }

  /** @throws S3Failure; the signal's reason */
  async send<Name extends S3OperationName>(
    name: Name,
    input: S3Input<Name>,
    options: SendOptions = {},
  ): Promise<S3Output<Name>> {
    const { signal, onRetry, failedAttempts = 0 } = options;
    const connection = await this.#connect();
    let renewed = false;
    for (let attempt = failedAttempts + 1; ; attempt += 1) {
      try {
        return await this.#sendOnce(connection, name, input, signal);
      } catch (thrown) {
        signal?.throwIfAborted();
        const failure = toS3Failure(thrown);
        const mayRenew = !renewed && (isExpired(failure) || isClockSkew(failure));
        if (mayRenew) {
          renewed = true;
          if (isExpired(failure)) await renewCredentials(connection.client, failure);
          // With a clock that is wrong the SDK has just taken over the server's time.
        } else {
          if (!isTransient(failure) || attempt >= this.maxAttempts) throw failure;
          await this.wait(attempt, signal);
        }
        onRetry?.(failure);
      }
    }
  }

  /** Waits as long as it should be waited after so many failed attempts. */
  async wait(failedAttempts: number, signal?: AbortSignal): Promise<void> {
    try {
      await sleep(this.#retryDelayMs(failedAttempts), undefined, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  async #sendOnce<Name extends S3OperationName>(
    { sdk, client }: Connection,
    name: Name,
    input: S3Input<Name>,
    signal: AbortSignal | undefined,
  ): Promise<S3Output<Name>> {
    signal?.throwIfAborted();
    // The name picks one member of the union that TypeScript makes of all commands.
    const Command = sdk[`${name}Command`] as new (input: S3Input<Name>) => object;
    const bodyBytes = "Body" in input ? input.Body.length : 0;
    const timeoutMs = Math.ceil(this.idleTimeoutMs + bodyBytes / MIN_UPLOAD_BYTES_PER_MS);
    const link = linkSignal(signal);
    let isLate = false;
    const timer = startTimer(() => {
      isLate = true;
      link.abort(undefined);
    }, timeoutMs);
    try {
      // The command is one of the SDK's own, made for this client; its answer has the fields of S3Operations.
      return (await client.send(new Command(input) as never, {
        abortSignal: link.signal,
      })) as S3Output<Name>;
    } catch (error) {
      throw isLate ? idleTimeout(timeoutMs) : error;
    } finally {
      clearTimeout(timer);
      link.unlink();
    }
  }

  #connect(): Promise<Connection> {
    this.#connection ??= loadS3Sdk().then((sdk) => ({
      sdk,
      client: isClient(this.#given) ? this.#given : newClient(sdk, this.#given),
    }));
    return this.#connection;
  }
}

/** The SDK keeps credentials until the time that they came with: it has to be told. */
async function renewCredentials({ config }: S3ClientLike, failure: S3Failure): Promise<void> {
  const hasCredentials = typeof config === "object" && config !== null && "credentials" in config;
  const credentials = hasCredentials ? config.credentials : undefined;
  if (typeof credentials !== "function") throw failure;
  try {
    await credentials.call(config, { forceRefresh: true });
  } catch {
    throw failure;
  }
}

/** The failure of a request or body of which nothing arrived for too long. */
export function idleTimeout(timeoutMs: number): S3Failure {
  return new S3Failure(`nothing arrived for ${timeoutMs} ms`, { reason: "IdleTimeout" });
}

function isClient(given: S3ClientLike | S3ClientConfig): given is S3ClientLike {
  return "send" in given && typeof given.send === "function";
}

function newClient(sdk: S3Sdk, given: S3ClientConfig): S3ClientLike {
  const config: S3ClientConfig = {
    // The newer checksum headers and trailers are not understood by every server; blobs have their own.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // Attempts are made here, so that they are counted once.
    maxAttempts: 1,
    ...given,
  };
  // All of it is optional, and the SDK checks what it is given.
  return new sdk.S3Client(config as never);
}
