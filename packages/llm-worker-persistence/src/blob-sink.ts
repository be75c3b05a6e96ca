import { BlobIndexBuilder, keepDescription, knownDescription } from "llm-worker/blob";
import type { BlobId, BlobIndex, BlobStat, Content } from "llm-worker/blob";
import { plainTextStat } from "./blob-layout.js";
import { assertContent, type ContentPiece, contentPieces, isOnlyPiece } from "./content-pieces.js";

/** Where the bytes of one new blob go. Nothing of it is visible before `publish` has resolved. */
export interface BlobSink {
  /**
   * A text of fewer bytes is published without being counted: what its lines are is found out when it
   * is read. Default: none is.
   */
  readonly minCountedTextBytes?: number | undefined;
  /** Takes the next bytes of the payload; the caller may reuse them afterwards. */
  write(piece: Uint8Array): Promise<void>;
  /** Makes the blob visible, whole, under a new id. Leaves nothing behind if it rejects. */
  publish(stat: BlobStat, index: BlobIndex | undefined): Promise<BlobId>;
  /** Leaves nothing behind. Harmless after a `publish`, and more than once. */
  discard(): Promise<void>;
}

/** Writes one piece and scans it while the sink is busy with it. */
export async function writePiece(
  sink: BlobSink,
  builder: BlobIndexBuilder,
  { bytes, text }: ContentPiece,
): Promise<void> {
  const writing = sink.write(bytes);
  try {
    builder.write(bytes, text);
  } finally {
    await writing;
  }
}

/** Stores `content` through a sink of its own: whole, or nothing is left. */
export async function writeContent(sink: BlobSink, content: Content): Promise<BlobId> {
  try {
    assertContent(content);
    const known = knownDescription(content);
    if (known !== undefined) {
      for (const { bytes } of contentPieces(content)) await sink.write(bytes);
      return await sink.publish(known.stat, known.index);
    }
    let builder: BlobIndexBuilder | undefined;
    for (const piece of contentPieces(content)) {
      if (builder === undefined && isSmallText(content, piece.bytes, sink.minCountedTextBytes)) {
        await sink.write(piece.bytes);
        return await sink.publish(plainTextStat(piece.bytes.length), undefined);
      }
      builder ??= createBuilder(content);
      await writePiece(sink, builder, piece);
    }
    const description = (builder ?? createBuilder(content)).finish();
    if (content.type !== "binary") keepDescription(content, description);
    return await sink.publish(description.stat, description.index);
  } catch (error) {
    // What could not be discarded does not hide why.
    await sink.discard().catch(() => undefined);
    throw error;
  }
}

function createBuilder(content: Content): BlobIndexBuilder {
  const { type: kind } = content;
  return new BlobIndexBuilder(
    kind === "binary" ? { kind, mediaType: content.mediaType } : { kind },
  );
}

/** Whether the first piece is a whole text of fewer bytes. */
function isSmallText(content: Content, firstPiece: Uint8Array, minBytes = 0): boolean {
  return (
    content.type === "text" && firstPiece.length < minBytes && isOnlyPiece(content.text, firstPiece)
  );
}
