/** A reader was used after it had been closed. */
export class ReaderClosedError extends Error {
  readonly code = "closed";

  constructor() {
    super("the blob reader is closed: open another one");
    this.name = new.target.name;
  }
}

/** The bytes of a blob are not what the blob is described as. */
export class CorruptBlobError extends Error {
  readonly code = "corrupt";

  /** @param offset where that shows */
  constructor(problem: string, offset: number) {
    super(`the blob is not what was stored (${problem}, byte ${offset}): read it by bytes instead`);
    this.name = new.target.name;
  }
}
