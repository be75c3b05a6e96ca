import type { Readable } from "node:stream";
import * as aws from "@aws-sdk/client-s3";
import { expect, expectTypeOf, test } from "vitest";
import {
  loadS3Sdk,
  type S3ClientLike,
  type S3Input,
  type S3OperationName,
  type S3Output,
} from "./s3-sdk.js";

type Input<Name extends S3OperationName> = keyof S3Input<Name>;

test("the SDK knows what is sent to it, and answers with what is read", async () => {
  expectTypeOf<Input<"PutObject">>().toExtend<keyof aws.PutObjectCommandInput>();
  expectTypeOf<Input<"GetObject">>().toExtend<keyof aws.GetObjectCommandInput>();
  expectTypeOf<Input<"DeleteObject">>().toExtend<keyof aws.DeleteObjectCommandInput>();
  expectTypeOf<Input<"ListObjectsV2">>().toExtend<keyof aws.ListObjectsV2CommandInput>();
  expectTypeOf<Input<"CreateMultipartUpload">>().toExtend<
    keyof aws.CreateMultipartUploadCommandInput
  >();
  expectTypeOf<S3Input<"UploadPart">>().toExtend<aws.UploadPartCommandInput>();
  expectTypeOf<
    S3Input<"CompleteMultipartUpload">
  >().toExtend<aws.CompleteMultipartUploadCommandInput>();
  expectTypeOf<S3Input<"AbortMultipartUpload">>().toExtend<aws.AbortMultipartUploadCommandInput>();
  expectTypeOf<Input<"ListMultipartUploads">>().toExtend<
    keyof aws.ListMultipartUploadsCommandInput
  >();

  type Body = NonNullable<S3Output<"GetObject">["Body"]>;
  expectTypeOf<aws.GetObjectCommandOutput["ContentRange"]>().toExtend<string | undefined>();
  expectTypeOf<NonNullable<aws.GetObjectCommandOutput["Body"]> & Readable>().toExtend<Body>();
  expectTypeOf<keyof S3Output<"ListObjectsV2">>().toExtend<keyof aws.ListObjectsV2CommandOutput>();
  expectTypeOf<keyof S3Output<"GetObject">>().toExtend<keyof aws.GetObjectCommandOutput>();
  expectTypeOf<aws.S3Client>().toExtend<S3ClientLike>();
  expect(await loadS3Sdk()).toBe(aws);
});

test("if it is not installed, the error says what to install", async () => {
  const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  await expect(loadS3Sdk(() => Promise.reject(missing))).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("install it"),
    cause: missing,
  });
});
