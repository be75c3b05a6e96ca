import { runProcess } from "../../src/cli/run-process.js";

await runProcess();
