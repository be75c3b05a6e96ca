/** SHA-256 of a text in UTF-8, in hexadecimal. */
export function sha256Hex(text: string): string {
  // Loaded here and not at import: node:crypto takes a fifth of what importing the package takes,
  // and most ids need no hash.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(text).digest("hex");
}
