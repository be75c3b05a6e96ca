#!/usr/bin/env node
// Prints the neutral outcome of a recorded answer, in the form of the recordings' expected.json:
//
//   node tools/wire-decode.mjs WIRE FILE [--status N] [--header "NAME: VALUE"]... [--split N]
//
// --help tells more. The code is in tools/wire-tools, which is TypeScript and has to be built.
import { existsSync } from "node:fs";

const command = new URL("wire-tools/dist/decode-command.js", import.meta.url);
if (existsSync(command)) {
  const { decodeCommand } = await import(command.href);
  process.exitCode = await decodeCommand(process.argv.slice(2));
} else {
  process.stderr.write("wire-decode: not built yet; run: npm run build\n");
  process.exitCode = 1;
}
