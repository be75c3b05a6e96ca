// Stores a payload of so many MiB as a string or as a stream, and prints by how many bytes the
// peak of the resident memory grew meanwhile. Arguments: directory, "string" or "stream", MiB.
import { FsBlobStore } from "../../src/index.js";

const MIB = 1024 * 1024;
const [, , directory = "", way = "", mebibytes = ""] = process.argv;
const store = new FsBlobStore(directory, { durability: "none" });
const line = "2024-01-01 info a line of a log, as there are many\n";

async function storeString(text: string): Promise<void> {
  await store.store({ type: "text", text });
}

async function storeStream(chunkCount: number): Promise<void> {
  const writer = await store.openWriter();
  const chunk = Buffer.alloc(MIB / 16, line);
  for (let number = 0; number < chunkCount; number += 1) await writer.write(chunk);
  await writer.commit();
}

const text = Buffer.alloc(way === "string" ? Number(mebibytes) * MIB : 0, line).toString("latin1");
await storeString(line.repeat(20_000));
await storeStream(32);
// Not the peak that the system keeps: a process inherits that of the one that started it.
const before = process.memoryUsage.rss();
let peak = before;
const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 1);
if (way === "string") await storeString(text);
else await storeStream(Number(mebibytes) * 16);
clearInterval(sampling);
process.stdout.write(`${Math.max(peak, process.memoryUsage.rss()) - before}\n`);
