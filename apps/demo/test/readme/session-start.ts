import { Worker } from "llm-worker";
import { FsSessionStore, Session } from "llm-worker-persistence";
import { provider, store, tools } from "./agent.js";

const worker = new Worker({ provider, tools, store });
const session = await Session.start(new FsSessionStore("./agent-data"), worker, {
  id: "ticket-42",
});
await worker.run("What went wrong in big.log?");
await session.close();
