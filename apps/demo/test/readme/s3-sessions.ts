import { S3SessionStore } from "llm-worker-persistence/s3";

const sessions = new S3SessionStore({ bucket: "my-bucket", prefix: "agents/prod" });
for await (const { id, modifiedAtMs } of sessions.list()) console.log(id, new Date(modifiedAtMs));
