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

/**
 * A part of an index that is needed is broken. The store that it came from makes the index anew when
 * the blob is opened again.
 */
export class CorruptIndexError extends Error {
  readonly code = "corrupt";

  constructor() {
    super("the index of the blob is broken: open the blob again");
    this.name = new.target.name;
  }
}
