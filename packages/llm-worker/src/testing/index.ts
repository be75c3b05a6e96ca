export { assertPrefixStable, PrefixUnstableError } from "./assert-prefix-stable.js";
export { RequestRecorder } from "./request-recorder.js";
