import { BlobStoreError } from "../blob-store-error.js";

/**
 * What is used of an `S3Client` of `@aws-sdk/client-s3`, told by shape: who has not installed it has
 * no need of its types.
 */
export interface S3ClientLike {
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
  readonly config?: unknown;
}

/** Credentials as the SDK takes them. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

/** What an `S3Client` is made with; anything else that the SDK knows may be given as well. */
export interface S3ClientConfig {
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  /** `true` for most servers other than AWS: the bucket stands in the path, not in the host name. */
  readonly forcePathStyle?: boolean | undefined;
  /** Without it the SDK looks where it always does: environment, profile, role of the machine. */
  readonly credentials?: S3Credentials | (() => Promise<S3Credentials>) | undefined;
  readonly [option: string]: unknown;
}

/** The part of a body that a GET gives. */
export interface S3Body extends AsyncIterable<Uint8Array> {
  destroy?(error?: Error): unknown;
}

interface ObjectAddress {
  readonly Bucket: string;
  readonly Key: string;
}

interface NewObject extends ObjectAddress {
  readonly ContentType: string;
  readonly Metadata?: Readonly<Record<string, string>> | undefined;
  readonly StorageClass?: string | undefined;
  readonly ServerSideEncryption?: string | undefined;
  readonly SSEKMSKeyId?: string | undefined;
  readonly BucketKeyEnabled?: boolean | undefined;
}

interface UploadAddress extends ObjectAddress {
  readonly UploadId: string;
}

/** One part of a multipart upload that the server has taken. */
export interface UploadedPart {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
}

/** The operations that are used, with the fields that are used. */
export interface S3Operations {
  readonly PutObject: {
    readonly input: NewObject & { readonly Body: Uint8Array; readonly IfNoneMatch?: "*" };
    readonly output: object;
  };
  readonly GetObject: {
    readonly input: ObjectAddress & { readonly Range?: string; readonly IfMatch?: string };
    readonly output: {
      readonly Body?: S3Body;
      readonly ContentLength?: number;
      readonly ContentRange?: string;
      readonly ETag?: string;
      readonly Metadata?: Readonly<Record<string, string>>;
    };
  };
  readonly DeleteObject: { readonly input: ObjectAddress; readonly output: object };
  readonly ListObjectsV2: {
    readonly input: {
      readonly Bucket: string;
      readonly Prefix: string;
      readonly StartAfter?: string | undefined;
      readonly ContinuationToken?: string | undefined;
    };
    readonly output: {
      readonly Contents?: readonly {
        readonly Key?: string;
        readonly Size?: number;
        readonly LastModified?: Date;
      }[];
      readonly IsTruncated?: boolean;
      readonly NextContinuationToken?: string;
    };
  };
  readonly CreateMultipartUpload: {
    readonly input: NewObject;
    readonly output: { readonly UploadId?: string };
  };
  readonly UploadPart: {
    readonly input: UploadAddress & { readonly PartNumber: number; readonly Body: Uint8Array };
    readonly output: { readonly ETag?: string };
  };
  readonly CompleteMultipartUpload: {
    readonly input: UploadAddress & {
      readonly MultipartUpload: { readonly Parts: UploadedPart[] };
    };
    readonly output: object;
  };
  readonly AbortMultipartUpload: { readonly input: UploadAddress; readonly output: object };
  readonly ListMultipartUploads: {
    readonly input: {
      readonly Bucket: string;
      readonly Prefix: string;
      readonly KeyMarker?: string | undefined;
      readonly UploadIdMarker?: string | undefined;
    };
    readonly output: {
      readonly Uploads?: readonly {
        readonly Key?: string;
        readonly UploadId?: string;
        readonly Initiated?: Date;
      }[];
      readonly IsTruncated?: boolean;
      readonly NextKeyMarker?: string;
      readonly NextUploadIdMarker?: string;
    };
  };
}

export type S3OperationName = keyof S3Operations;
export type S3Input<Name extends S3OperationName> = S3Operations[Name]["input"];
export type S3Output<Name extends S3OperationName> = S3Operations[Name]["output"];

type S3Commands = {
  readonly [Name in S3OperationName as `${Name}Command`]: new (input: S3Input<Name>) => object;
};

/** What is used of the module `@aws-sdk/client-s3`. */
export interface S3Sdk extends S3Commands {
  readonly S3Client: new (config: never) => S3ClientLike;
}

/**
 * Loads `@aws-sdk/client-s3`: the only place that does.
 * @throws BlobStoreError `unavailable` if it is not installed
 */
export async function loadS3Sdk(
  load: () => Promise<unknown> = () => import("@aws-sdk/client-s3"),
): Promise<S3Sdk> {
  try {
    // Where the package is installed its version is in the range of the peer dependency.
    return (await load()) as S3Sdk;
  } catch (error) {
    throw new BlobStoreError(
      "unavailable",
      "stores in S3 need @aws-sdk/client-s3, which could not be loaded: install it beside llm-worker-persistence",
      { cause: error },
    );
  }
}
