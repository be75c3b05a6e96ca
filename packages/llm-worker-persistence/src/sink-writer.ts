import { BlobIndexBuilder } from "llm-worker/blob";
import type { BlobId, BlobStat, BlobWriter, BlobWriterOptions } from "llm-worker/blob";
import { type BlobSink, writePiece } from "./blob-sink.js";
import { alreadyClosed } from "./blob-store-error.js";
import { bytePieces } from "./content-pieces.js";
import type { ConcurrencyLimit } from "./concurrency-limit.js";

/**
 * The writer over any sink: calls take effect one after the other in the order they were made;
 * after the first failure, abort or commit nothing more is taken.
 */
export class SinkWriter implements BlobWriter {
  readonly #sink: BlobSink;
  readonly #builder: BlobIndexBuilder;
  readonly #signal: AbortSignal | undefined;
  readonly #limit: ConcurrencyLimit | undefined;
  readonly #onAbort = (): void => {
    this.#inOrder(() => this.#end(this.#signal?.reason)).catch(() => undefined);
  };
  #last: Promise<unknown> = Promise.resolve();
  #ended: { readonly reason: unknown } | undefined;

  /** @param limit taken for each call, not for the life of the writer */
  constructor(sink: BlobSink, options: BlobWriterOptions = {}, limit?: ConcurrencyLimit) {
    this.#sink = sink;
    this.#builder = new BlobIndexBuilder(
      options.mediaType === undefined ? {} : { mediaType: options.mediaType },
    );
    this.#limit = limit;
    this.#signal = options.signal;
    this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  write(chunk: Uint8Array): Promise<void> {
    return this.#whileOpen(async () => {
      for (const bytes of bytePieces(chunk)) {
        this.#signal?.throwIfAborted();
        await writePiece(this.#sink, this.#builder, { bytes });
      }
    });
  }

  commit(): Promise<{ readonly id: BlobId; readonly stat: BlobStat }> {
    return this.#whileOpen(async () => {
      const { stat, index } = this.#builder.finish();
      const id = await this.#sink.publish(stat, index);
      this.#close(alreadyClosed("writer"));
      return { id, stat };
    });
  }

  abort(): Promise<void> {
    return this.#inOrder(() => this.#end(alreadyClosed("writer")));
  }

  #whileOpen<T>(task: () => Promise<T>): Promise<T> {
    return this.#inOrder(async () => {
      if (this.#ended) throw this.#ended.reason;
      try {
        this.#signal?.throwIfAborted();
        return await (this.#limit?.run(task) ?? task());
      } catch (error) {
        // What could not be discarded does not hide why.
        await this.#end(error).catch(() => undefined);
        throw error;
      }
    });
  }

  #inOrder<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #end(reason: unknown): Promise<void> {
    if (this.#ended) return;
    this.#close(reason);
    await this.#sink.discard();
  }

  #close(reason: unknown): void {
    this.#ended = { reason };
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }
}
