export { blobStoreConformance } from "./conformance.js";
export type { BlobStoreConformanceOptions, ConformanceCase } from "./conformance.js";
export type { BlobStoreCapability } from "./expectation.js";
