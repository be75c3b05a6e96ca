import { FsBlobStore } from "../../src/index.js";

const store = new FsBlobStore("./agent-data");
const id = await store.store({ type: "text", text: "first line\nsecond line\n" });
const { lineCount } = await store.stat(id);
const reader = await store.openReader(id);
const firstLine = Buffer.from(await reader.read(0, 10)).toString();
await reader.close();
console.log(`${id} has ${lineCount} lines and begins with "${firstLine}"`);
