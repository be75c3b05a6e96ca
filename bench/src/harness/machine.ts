import { arch, cpus, platform, totalmem } from "node:os";

/** The class of the machine, without anything that names it. */
export function machineClass(): string {
  const cores = cpus().length;
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `Node ${process.versions.node}, ${platform()} ${arch()}, ${cores} cores, ${gigabytes} GiB`;
}
