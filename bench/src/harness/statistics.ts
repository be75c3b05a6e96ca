/** The middle of the values; NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value that the share `rank` of all values does not exceed, 0 < rank <= 1. */
export function quantile(values: readonly number[], rank: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(rank * sorted.length) - 1)] ?? Number.NaN;
}

/** Growth: the slope of log cost over log size, by least squares. 1 is linear, 2 quadratic. */
export function growthExponent(
  points: readonly { readonly size: number; readonly cost: number }[],
): number {
  const logs = points.map(({ size, cost }) => [Math.log(size), Math.log(cost)] as const);
  const mean = (pick: 0 | 1): number => logs.reduce((sum, log) => sum + log[pick], 0) / logs.length;
  const [meanSize, meanCost] = [mean(0), mean(1)];
  const covariance = logs.reduce(
    (sum, [size, cost]) => sum + (size - meanSize) * (cost - meanCost),
    0,
  );
  const variance = logs.reduce((sum, [size]) => sum + (size - meanSize) ** 2, 0);
  return covariance / variance;
}
