import { S3BlobStore } from "llm-worker-persistence/s3";

const store = new S3BlobStore({ bucket: "my-bucket", prefix: "agents/prod" });
const id = await store.store({ type: "text", text: "first line\nsecond line\n" });
console.log(id, await store.stat(id));
