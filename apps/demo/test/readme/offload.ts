import { MemoryFileBackend, offloadToFile, Worker } from "llm-worker";
import { provider, tools } from "./agent.js";

const backend = new MemoryFileBackend(); // or new DirectoryFileBackend("./agent-files") of llm-worker-persistence
const worker = new Worker({ provider, tools, policy: offloadToFile({ backend }) });
await worker.run("What went wrong in big.log?");
