/**
 * Bundles the package in the current directory from `src` to `dist`: the entry points that its
 * `exports` name, and those given as arguments (`node ../../tools/bundle-package.mjs src/cli/main.ts`).
 * The types are not made here, tsc writes them.
 *
 * Node takes more than half a millisecond of CPU for a module, however small, and the core has more
 * than a hundred. What entry points share is in one file beside them, so that a class is the same
 * class whichever of them it came from.
 */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";

const manifest = JSON.parse(await readFile("package.json", "utf8"));
const entries = Object.values(manifest.exports).flatMap(
  (entry) => entry["@llm-worker/source"] ?? [],
);
const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

await removeOld("dist");
const bundle = await rolldown({
  input: Object.fromEntries(
    [...entries, ...process.argv.slice(2)].map((entry) => [
      entry.replace(/^(\.\/)?src\//, "").replace(/\.ts$/, ""),
      entry,
    ]),
  ),
  external: (id) =>
    id.startsWith("node:") || installed.some((name) => id === name || id.startsWith(`${name}/`)),
  platform: "node",
  tsconfig: "tsconfig.build.json",
  onLog(level, { message }) {
    throw new Error(`${level}: ${message}`);
  },
});
const { output } = await bundle.write({
  dir: "dist",
  format: "esm",
  sourcemap: true,
  comments: { jsdoc: false },
  minifyInternalExports: false,
  chunkFileNames: "[name].js",
  codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] },
});
await bundle.close();
await writeLicenses(output.flatMap((chunk) => ("moduleIds" in chunk ? chunk.moduleIds : [])));

/** Removes JavaScript that an earlier source made, and leaves the types. */
async function removeOld(directory) {
  const files = await readdir(directory, { recursive: true }).catch(() => []);
  const old = files.filter((file) => /\.js(?:\.map)?$/.test(file));
  await Promise.all(old.map((file) => rm(join(directory, file))));
}

/**
 * Development dependencies that the source imports are in the bundle, and so are their licences. pnpm
 * adds ours to a package unless the name of one of its files has `license` in it.
 */
async function writeLicenses(moduleIds) {
  const homes = new Set(
    moduleIds.flatMap(
      (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? [],
    ),
  );
  const file = join("dist", "THIRD_PARTY_NOTICES.txt");
  await rm(file, { force: true });
  const texts = await Promise.all(
    [...homes].map(async (home) => {
      const { name, version } = JSON.parse(await readFile(join(home, "package.json"), "utf8"));
      const license = (await readdir(home)).find((entry) => /^licen[cs]e/i.test(entry));
      if (license === undefined) throw new Error(`${name} is bundled but has no licence file`);
      return `${name} ${version}\n\n${await readFile(join(home, license), "utf8")}`;
    }),
  );
  if (texts.length > 0) await writeFile(file, texts.join("\n"));
}
