/** What is known of a file without reading it. */
export interface FileStat {
  readonly byteCount: number;
}

/**
 * Where the policy `offloadToFile` puts outputs: files with paths such as `/large_tool_result/call_1`,
 * written once and read in parts. Everything in it is meant for the agent; it gives access to nothing
 * else, whatever the path.
 *
 * Errors carry the `code`s of a blob store (`BlobStoreErrorCode`): `not_found`, `forbidden`,
 * `unavailable`, `corrupt`, `no_space`, and `invalid_id` for a path that this backend does not take.
 */
export interface FileBackend {
  /**
   * Writes a new file and resolves to its path: `path`, or, if there is something already, another one
   * beside it. Never overwrites, not even with writes of one path at the same time.
   *
   * Asks for the next chunk when it has done with the one before, whose memory may then be used again.
   * If `chunks` throws or the write fails, it rejects and leaves nothing behind.
   */
  write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<string>;
  stat(path: string): Promise<FileStat>;
  /** The bytes of `[start, end)`, clamped to the file. */
  read(path: string, start: number, end: number): Promise<Uint8Array>;
  /** Resolves to `true` if there was something to delete. */
  delete?(path: string): Promise<boolean>;
}
