import { cached, compressed, deduplicated, FsBlobStore } from "../../src/index.js";

const shared = deduplicated(compressed(new FsBlobStore("./agent-data")));
const store = cached(shared, { maxBytes: 64 * 1024 * 1024 });
export { shared, store };
