/**
 * Compiles `wasm/json-scan.ts` of the core to its `src/blob/json-scan-code.ts`. That is committed, so that
 * builds and tests take the source tree as it is; with `--check` this only tells whether it is up to date.
 */
import { Buffer } from "node:buffer";
import { readFile, writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const home = fileURLToPath(new URL("../packages/llm-worker/", import.meta.url));
const target = `${home}src/blob/json-scan-code.ts`;
/** Memory in pages of 64 KiB: as many as `scan-memory.ts` has places in. */
const OPTIONS =
  "--outFile code.wasm --runtime stub --enable simd --initialMemory 23 --maximumMemory 23 --noAssert --optimizeLevel 3 --shrinkLevel 0";

const code = await compile("wasm/json-scan.ts");
const text = `/** \`wasm/json-scan.ts\`, compiled, in base64. \`npm run wasm\` writes it: change that, not this. */
export const JSON_SCAN_CODE =
  "${Buffer.from(code).toString("base64")}";
`;
if (!process.argv.includes("--check")) await writeFile(target, text);
else if ((await readFile(target, "utf8")) !== text) {
  throw new Error(`${relative(process.cwd(), target)} is not what its source gives: npm run wasm`);
}

/** The module's bytes. */
async function compile(source) {
  let bytes;
  const { error } = await asc.main([source, "--baseDir", home, ...OPTIONS.split(" ")], {
    stderr: process.stderr,
    writeFile: (_name, contents) => {
      bytes = contents;
    },
  });
  if (error) throw new Error(`${source} cannot be compiled`, { cause: error });
  return bytes;
}
