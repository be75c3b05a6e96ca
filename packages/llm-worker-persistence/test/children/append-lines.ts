// Appends lines to one session that others append to as well, and prints each that is in the log.
// Arguments: directory, name of this writer, number of lines.
import { FsSessionStore, SessionError } from "../../src/index.js";

const [, , directory = "", name = "", count = ""] = process.argv;
const store = new FsSessionStore(directory, { durability: "none" });

async function end(): Promise<number> {
  try {
    return (await store.read("shared")).position;
  } catch (error) {
    if (error instanceof SessionError && error.code === "not_found") return 0;
    throw error;
  }
}

async function append(line: string): Promise<void> {
  for (;;) {
    try {
      await store.append("shared", await end(), Buffer.from(`${line}\n`));
      return;
    } catch (error) {
      if (!(error instanceof SessionError) || error.code !== "session_conflict") throw error;
    }
  }
}

process.stdout.write("ready\n");
for (let number = 0; number < Number(count); number += 1) {
  const line = `${name} ${number} ${"x".repeat((number % 5) * 3000)}.`;
  await append(line);
  process.stdout.write(`${line}\n`);
}
