import { offloadToFile, Worker } from "llm-worker";
import { DirectoryFileBackend } from "llm-worker-persistence";
import { provider, tools } from "./agent.js";

const policy = offloadToFile({ backend: new DirectoryFileBackend("./agent-files") });
const worker = new Worker({ provider, tools, policy });
await worker.run("What went wrong in big.log?");
