import type { Terminal } from "./terminal.js";

const REDRAW_EVERY_MS = 100;
const BAR_WIDTH = 24;

/** A line that shows how far long work has come: on a terminal only, and gone when it is done. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #label: string;
  #drawnAtMs = -Infinity;
  #isShown = false;

  constructor(terminal: Terminal, label: string) {
    this.#terminal = terminal;
    this.#label = label;
  }

  /** @param total if it is known, a bar is drawn */
  show(done: number, total: number | undefined, format: (count: number) => string = String): void {
    if (this.#terminal.stderr.isTTY !== true) return;
    const nowMs = performance.now();
    if (nowMs - this.#drawnAtMs < REDRAW_EVERY_MS) return;
    this.#drawnAtMs = nowMs;
    this.#isShown = true;
    const counts =
      total === undefined
        ? format(done)
        : `${bar(done, total)} ${format(done)} of ${format(total)}`;
    this.#terminal.stderr.write(`\r\u001B[K${this.#label} ${counts}`);
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#isShown) this.#terminal.stderr.write("\r\u001B[K");
    this.#isShown = false;
  }
}

function bar(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * BAR_WIDTH);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}]${percent}`;
}

/** Bytes for people: `12.3 MB`. */
export function formatBytes(byteCount: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = byteCount;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
