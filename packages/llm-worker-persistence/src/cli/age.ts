import { UsageError } from "./usage.js";

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `7d`, `12h`, `0s`, or `none` for no bound. @throws UsageError */
export function parseAge(option: string, text: string | undefined, defaultMs: number): number {
  if (text === undefined) return defaultMs;
  if (text === "none") return Infinity;
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const unitMs = unit === undefined ? undefined : UNIT_MS[unit];
  if (unitMs !== undefined) return Number(count) * unitMs;
  throw new UsageError(`${option} needs a number with ms, s, m, h or d, such as 7d, or none`);
}
