const ROW_BYTES = 16;

/** The bytes that fit, and what they look like. */
export interface HexDump {
  readonly byteCount: number;
  readonly text: string;
}

/**
 * Bytes as rows of offset, sixteen values and their ASCII, as `hexdump -C` writes them.
 *
 * @param offset of the first byte
 * @param maxBytes of the text; rows that do not fit are left out
 */
export function hexDump(bytes: Uint8Array, offset: number, maxBytes: number): HexDump {
  const rows: string[] = [];
  let room = maxBytes;
  let at = 0;
  while (at < bytes.length) {
    const row = hexRow(bytes.subarray(at, at + ROW_BYTES), offset + at);
    room -= row.length + 1;
    if (room < 0) break;
    rows.push(row);
    at = Math.min(bytes.length, at + ROW_BYTES);
  }
  return { byteCount: at, text: rows.join("\n") };
}

function hexRow(bytes: Uint8Array, offset: number): string {
  const values = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const place = offset.toString(16).padStart(8, "0");
  return `${place}  ${values.padEnd(ROW_BYTES * 3 - 1)}  |${printable(bytes)}|`;
}

/** ASCII as it is, a dot for every other byte. */
export function printable(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".",
  ).join("");
}
