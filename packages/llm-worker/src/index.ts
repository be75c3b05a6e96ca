export { LlmWorkerError } from "./errors.js";
