// Later, in another process:
import { Worker } from "llm-worker";
import { FsSessionStore, Session } from "llm-worker-persistence";
import { provider, store, tools } from "./agent.js";

const session = await Session.open(new FsSessionStore("./agent-data"), "ticket-42");
const worker = Worker.restore(session.snapshot, { provider, tools, store });
await session.attach(worker);
if (worker.pauseReason !== undefined) await worker.resume();
await session.close();
