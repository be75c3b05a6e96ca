import { S3BlobStore } from "../../src/s3/index.js";

const store = new S3BlobStore({ bucket: "my-bucket", prefix: "agents/prod" });

export { store };
