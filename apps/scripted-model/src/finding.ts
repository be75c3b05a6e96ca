/** Something that was read, word for word, and where it stands. */
export interface Quote {
  readonly lines: readonly string[];
  /** The selector or place, such as `lines:1230-1236`. */
  readonly place: string;
}

/** What the model knows of one source after reading in it. */
export interface Finding {
  /** The path, or the call that gave the result. */
  readonly source: string;
  /** Totals, such as `text | 1204 lines | 98211 bytes`. */
  readonly totals?: string | undefined;
  /** The term that led to the quotes, and how often it occurs, if that is known. */
  readonly foundBy?: { readonly term: string; readonly count?: number | undefined } | undefined;
  /** Terms that were looked for before that one and do not occur. */
  readonly missed?: readonly string[] | undefined;
  /** For a search: the files that have a match. */
  readonly files?: readonly string[] | undefined;
  readonly quotes: readonly Quote[];
  /** What was read or looked for without success. */
  readonly checked: readonly string[];
  /** What the user has to know about how the source was read. */
  readonly notes: readonly string[];
}
