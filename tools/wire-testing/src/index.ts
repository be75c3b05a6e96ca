export { decodeDocument, decodePayloads, decodeStream, jsonLine, sseEvent } from "./decode.js";
export {
  describeRecordings,
  testCutStreams,
  type RecordingExceptions,
} from "./describe-recordings.js";
export { FUZZ_RUNS, fuzzStreams } from "./fuzz.js";
export { testGrowingHistory } from "./growing-history.js";
export { call, type Json, opaque, result, said, thought, tool, user } from "./history.js";
export {
  ask,
  fetchOf,
  type LoopbackServer,
  type ReceivedRequest,
  startServer,
} from "./loopback.js";
export { mutate, type Random, seededRandom } from "./mutate.js";
export { type Outcome, type OutcomeUsage, toOutcome } from "./outcome.js";
export { cutAt, inChunks, piecesOf } from "./pieces.js";
export { type RecordedSession, recordedSessions } from "./sessions.js";
export {
  documentsOf,
  type Expected,
  type ExpectedError,
  failuresOf,
  hasSharedData,
  meaningOf,
  named,
  type RecordedWire,
  type Recording,
  recordedRequest,
  recordings,
  type RequestJudge,
  requestJudge,
  type RequestProfile,
  skippedWhen,
  streamsOf,
  type Verdict,
} from "./shared-data.js";
