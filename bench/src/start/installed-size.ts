import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What a package takes up on disk, without those that are installed inside it. */
export interface PackageSize {
  readonly name: string;
  readonly version: string;
  readonly fileCount: number;
  /** Sum of the files' sizes. */
  readonly bytes: number;
}

/** What packages and all that they need take up on disk. */
export interface InstalledSize {
  /** Sorted by name. */
  readonly packages: readonly PackageSize[];
  readonly fileCount: number;
  readonly bytes: number;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/**
 * Follows the dependencies of packages through what is installed, as Node would find them: each
 * package once, wherever links lead to it. Optional peers do not count; optional dependencies that
 * are not for this platform are not there.
 *
 * @throws Error when a needed package is not installed
 */
export async function installedSize(
  directory: string,
  names: readonly string[],
): Promise<InstalledSize> {
  const found = new Map<string, Manifest>();
  const waiting = names.map((name) => ({ name, from: directory, isNeeded: true }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const home = await findPackage(next.name, next.from);
    if (home === undefined) {
      if (next.isNeeded) throw new Error(`${next.name} is not installed beside ${next.from}`);
      continue;
    }
    if (found.has(home)) continue;
    const manifest = JSON.parse(await readFile(join(home, "package.json"), "utf8")) as Manifest;
    found.set(home, manifest);
    const optional = manifest.optionalDependencies ?? {};
    const peers = Object.keys(manifest.peerDependencies ?? {}).filter(
      (name) => manifest.peerDependenciesMeta?.[name]?.optional !== true,
    );
    const needed = [...Object.keys(manifest.dependencies ?? {}), ...peers];
    for (const name of new Set([...needed, ...Object.keys(optional)])) {
      waiting.push({ name, from: home, isNeeded: !(name in optional) });
    }
  }
  const packages: PackageSize[] = [];
  for (const [home, { name, version }] of found) {
    let [fileCount, bytes] = [0, 0];
    for await (const size of fileSizes(home)) {
      fileCount += 1;
      bytes += size;
    }
    packages.push({ name, version, fileCount, bytes });
  }
  return {
    packages: packages.sort((a, b) => a.name.localeCompare(b.name)),
    fileCount: packages.reduce((sum, { fileCount }) => sum + fileCount, 0),
    bytes: packages.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

async function findPackage(name: string, from: string): Promise<string | undefined> {
  for (let at = from; ; at = dirname(at)) {
    const home = await realpath(join(at, "node_modules", name)).catch(() => undefined);
    if (home !== undefined) return home;
    if (at === dirname(at)) return undefined;
  }
}

/** Sizes of the files of a package, without the packages that are installed inside it. */
async function* fileSizes(directory: string): AsyncGenerator<number> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== "node_modules") yield* fileSizes(path);
    } else if (entry.isFile()) {
      yield (await stat(path)).size;
    }
  }
}
