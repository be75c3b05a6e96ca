// Creates a bucket with one signed request, as soon as the server answers. Needs no installed package.
//
//   AWS_REGION=… AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… node create-bucket.mjs ENDPOINT BUCKET
import { createHash, createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const [, , endpoint = "", bucket = ""] = process.argv;
const { AWS_REGION = "", AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" } = process.env;
const ATTEMPTS = 100;
const WAIT_MS = 200;

const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const hmac = (key, text) => createHmac("sha256", key).update(text).digest();

/** The headers of a request without body, signed by AWS Signature Version 4. */
function signedHeaders(url) {
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const headers = { host: url.host, "x-amz-content-sha256": sha256(""), "x-amz-date": time };
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const request = ["PUT", url.pathname, "", lines.join(""), names, sha256("")].join("\n");
  const scope = [time.slice(0, 8), AWS_REGION, "s3", "aws4_request"];
  const toSign = ["AWS4-HMAC-SHA256", time, scope.join("/"), sha256(request)].join("\n");
  const key = scope.reduce(hmac, `AWS4${AWS_SECRET_ACCESS_KEY}`);
  const signature = hmac(key, toSign).toString("hex");
  const credential = `${AWS_ACCESS_KEY_ID}/${scope.join("/")}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

const url = new URL(`/${bucket}`, endpoint);
let outcome = "no answer";
for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
  try {
    const { host: _, ...headers } = signedHeaders(url);
    const response = await fetch(url, { method: "PUT", headers });
    if (response.ok) process.exit(0);
    outcome = `${response.status} ${await response.text()}`;
  } catch (error) {
    outcome = String(error.cause ?? error);
  }
  await sleep(WAIT_MS);
}
console.error(`bucket ${bucket} was not created: ${outcome}`);
process.exit(1);
