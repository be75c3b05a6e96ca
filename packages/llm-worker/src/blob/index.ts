export type * from "./blob-store.js";
export { blobStoreErrorCode } from "./blob-store.js";
export type * from "./content.js";
export { structuredContent } from "./content.js";
export type * from "./blob-index.js";
