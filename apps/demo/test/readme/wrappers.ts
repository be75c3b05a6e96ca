import { cached, compressed, deduplicated, FsBlobStore } from "llm-worker-persistence";

const shared = deduplicated(compressed(new FsBlobStore("./agent-data")));
const store = cached(shared, { maxBytes: 64 * 1024 * 1024 });
const id = await store.store({ type: "text", text: "first line\nsecond line\n" });
console.log(id, await store.load(id));
