/**
 * What importing costs a fresh process: `node import-cost.mjs [SPECIFIER#EXPORT …]`, an answer in JSON.
 * Imports nothing itself, so that no built-in module is loaded before the clock starts, and is copied
 * to wherever the packages are that a process is to find.
 */
const parts = process.argv.slice(2).map((argument) => argument.split("#"));
const rssBefore = process.memoryUsage.rss();
const cpuBefore = process.cpuUsage();
for (const [specifier, name] of parts) {
  const exports = await import(specifier);
  if (typeof exports[name] !== "function") throw new Error(`${specifier} has no function ${name}`);
}
const cpu = process.cpuUsage(cpuBefore);
const rss = process.memoryUsage.rss();
const whole = process.cpuUsage();
console.log(
  JSON.stringify({
    importCpuMs: (cpu.user + cpu.system) / 1000,
    processCpuMs: (whole.user + whole.system) / 1000,
    addedRssMb: (rss - rssBefore) / 1e6,
    processRssMb: rss / 1e6,
  }),
);
