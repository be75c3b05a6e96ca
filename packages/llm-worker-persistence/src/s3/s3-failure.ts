/** What a failed request tells, without its headers: those may hold a security token. */
export interface S3FailureFacts {
  /** The error's name in S3's terms (`SlowDown`), or that of the network (`ECONNRESET`). */
  readonly reason: string;
  /** Absent if there was no answer. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Where the bucket is, if the answer says so. */
  readonly region?: string | undefined;
  /** By how much the server's clock is ahead of this one, if the answer says when it was given. */
  readonly serverAheadMs?: number | undefined;
}

/** A request to S3 that failed, for whatever reason. */
export class S3Failure extends Error implements S3FailureFacts {
  readonly reason: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly region: string | undefined;
  readonly serverAheadMs: number | undefined;

  constructor(message: string, facts: S3FailureFacts, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.reason = facts.reason;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.region = facts.region;
    this.serverAheadMs = facts.serverAheadMs;
  }
}

/** The answer to a GET is not what it says that it is: retrying is no cure that can be trusted. */
export class S3IntegrityFailure extends Error {
  constructor(found: string) {
    super(found);
    this.name = new.target.name;
  }
}

/** Names the failure that any error of the SDK stands for. */
export function toS3Failure(thrown: unknown, nowMs: number = Date.now()): S3Failure {
  if (thrown instanceof S3Failure) return thrown;
  const error = recordOf(thrown);
  const metadata = recordOf(error["$metadata"]);
  const headers = recordOf(recordOf(error["$response"])["headers"]);
  const status =
    numberOf(recordOf(error["$response"])["statusCode"]) ?? numberOf(metadata["httpStatusCode"]);
  const reason = reasonOf(error, status);
  const dateMs = Date.parse(textOf(headers["date"]) ?? "");
  const facts = {
    reason,
    status,
    requestId: textOf(metadata["requestId"]),
    region: textOf(headers["x-amz-bucket-region"]) ?? textOf(error["Region"]),
    serverAheadMs: Number.isNaN(dateMs) ? undefined : dateMs - nowMs,
  };
  if (status === undefined) return new S3Failure(`no answer (${reason})`, facts, { cause: thrown });
  return new S3Failure(`S3 answered ${status} ${reason}`, facts);
}

const MAX_REASON_LENGTH = 200;
/** What came with success is not what S3 writes: it was cut, or changed on its way. */
const UNREADABLE_ANSWER = "UnreadableAnswer";

function reasonOf(error: Readonly<Record<string, unknown>>, status: number | undefined): string {
  // Of a network error `code` says more than `name`; of an answer `name` is S3's own code.
  const names =
    status === undefined ? [error["code"], error["name"]] : [error["name"], error["Code"]];
  const named = names.map(textOf).find((name) => name !== undefined && name !== "Error");
  if (named === undefined && status === 200) return UNREADABLE_ANSWER;
  return named ?? textOf(error["message"])?.slice(0, MAX_REASON_LENGTH) ?? "unknown error";
}

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const TRANSIENT_REASONS: ReadonlySet<string> = new Set([
  "BadDigest",
  "ConditionalRequestConflict",
  "IncompleteBody",
  "InternalError",
  "OperationAborted",
  "RequestTimeout",
  "RequestTimeoutException",
  "ServiceUnavailable",
  "SlowDown",
  "Throttling",
  "ThrottlingException",
  "TooManyRequestsException",
  UNREADABLE_ANSWER,
  "XAmzContentSHA256Mismatch",
]);
/** What the network, or its absence, is known to pass over with. */
const TRANSIENT_WITHOUT_ANSWER: ReadonlySet<string> = new Set([
  "BodyEnded",
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
  "IdleTimeout",
  "TimeoutError",
]);

/** Whether the same request may well succeed if it is sent again a little later. */
export function isTransient({ reason, status }: S3Failure): boolean {
  if (status === undefined) return TRANSIENT_WITHOUT_ANSWER.has(reason);
  return TRANSIENT_STATUSES.has(status) || TRANSIENT_REASONS.has(reason);
}

/** Whether the server may have carried the request out although it failed. */
export function mayHaveBeenDone({ status }: S3Failure): boolean {
  return status === undefined || status === 200 || status >= 500;
}

/** Whether new credentials may help. */
export function isExpired({ reason }: S3Failure): boolean {
  return ["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"].includes(reason);
}

/** Whether server and client do not agree on the time. */
export function isClockSkew({ reason }: S3Failure): boolean {
  return reason === "RequestTimeTooSkewed" || reason === "RequestExpired";
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  // Any property of an object may be looked at: what it is gets checked where it is used.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
