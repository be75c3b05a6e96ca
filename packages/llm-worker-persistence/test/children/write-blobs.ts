// Stores blobs of all sizes, in all ways, and prints the id of each when it is stored.
// Arguments: directory, name of this writer, number of blobs.
import { FsBlobStore } from "../../src/index.js";
import { selfDescribingText } from "./self-describing-blob.js";

const [, , directory = "", name = "", count = ""] = process.argv;
const store = new FsBlobStore(directory);

async function storeOne(number: number): Promise<string> {
  const text = selfDescribingText(`${name} ${number}`, number % 3 === 0 ? 15_000 : 10);
  if (number % 2 === 0) return store.store({ type: "text", text });
  const writer = await store.openWriter();
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 65_536) {
    await writer.write(bytes.subarray(start, start + 65_536));
  }
  return (await writer.commit()).id;
}

let next = 0;
async function storeInTurn(): Promise<void> {
  while (next < Number(count)) {
    const id = await storeOne(next++);
    process.stdout.write(`${id}\n`);
  }
}
await Promise.all(Array.from({ length: 4 }, storeInTurn));
