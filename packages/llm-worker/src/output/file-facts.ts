import type { BlobStat } from "../blob/blob-store.js";
import { BlobIndexBuilder } from "../blob/index-builder.js";
import { FirstLines } from "./first-lines.js";
import { sniffMediaType } from "./sniff-media-type.js";
import { StreamSample } from "./stream-sample.js";
import type { TextSample } from "./text-sample.js";

/** What is known of an output once all its bytes have gone by. */
export interface FileDescription {
  readonly stat: BlobStat;
  readonly lineCount: number;
  /** Empty for what is no text. */
  readonly firstLines: readonly string[];
  /** Both ends; absent for what is no text. */
  readonly sample?: TextSample | undefined;
}

/** Watches the bytes of an output on their way to a file. Memory is bounded, whatever the size. */
export class FileFacts {
  readonly #sample: StreamSample;
  readonly #lines = new FirstLines();
  #builder: BlobIndexBuilder | undefined;

  /** @param endBytes what is kept of each end */
  constructor(endBytes: number) {
    this.#sample = new StreamSample(endBytes);
  }

  get byteCount(): number {
    return this.#sample.byteCount;
  }

  /** Takes the next bytes; keeps copies only. */
  add(chunk: Uint8Array): void {
    this.#builder ??= new BlobIndexBuilder({ mediaType: sniffMediaType(chunk) });
    this.#builder.write(chunk);
    this.#sample.add(chunk);
    this.#lines.add(chunk);
  }

  /** Ends the input and tells what it was. */
  describe(): FileDescription {
    const { stat } = (this.#builder ?? new BlobIndexBuilder()).finish();
    const { lineCount } = this.#sample;
    if (stat.kind === "binary") return { stat, lineCount, firstLines: [] };
    return { stat, lineCount, firstLines: this.#lines.texts, sample: this.#sample.text() };
  }
}
