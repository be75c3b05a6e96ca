/** Such as `5,242,880`. */
export function formatNumber(value: number): string {
  return value.toLocaleString("en-US");
}

/** Such as `5,242,880 bytes`. */
export function formatBytes(byteCount: number): string {
  return `${formatNumber(byteCount)} ${byteCount === 1 ? "byte" : "bytes"}`;
}
