/** Where the bench may keep objects: the server that the tests of the stores use as well. */
export interface S3Place {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The server that the environment names, if it names one. */
export function s3PlaceOf(env: NodeJS.ProcessEnv): S3Place | undefined {
  const endpoint = env["LLM_WORKER_S3_ENDPOINT"];
  const bucket = env["LLM_WORKER_S3_BUCKET"];
  const accessKeyId = env["AWS_ACCESS_KEY_ID"];
  const secretAccessKey = env["AWS_SECRET_ACCESS_KEY"];
  if (!endpoint || !bucket || !accessKeyId || !secretAccessKey) return undefined;
  const region = env["AWS_REGION"] ?? "us-east-1";
  return { endpoint, region, bucket, accessKeyId, secretAccessKey };
}
