export { blobStoreConformance } from "./conformance.js";
export type { BlobStoreConformanceOptions, ConformanceCase } from "./conformance.js";
export type { BlobStoreCapability } from "./expectation.js";
export { sessionStoreConformance } from "./session-store-conformance.js";
export type { SessionStoreConformanceOptions } from "./session-store-conformance.js";
