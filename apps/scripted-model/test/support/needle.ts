const LINE = 'request 7f3a: «größe» \\ "日本語" 😀 failed';

/** A log too large for the history, with one line of its own in it. */
export const needleFiles: Readonly<Record<string, string>> = {
  "big.log": Array.from({ length: 500 }, (_, index) =>
    index === 300 ? LINE : `request ${index} ok`,
  ).join("\n"),
};

/** Asks for that line. A model reads the file and looks into it twice. */
export const NEEDLE_QUESTION = "In big.log, what happened to request 7f3a?";

/** What an answer has to quote. */
export const NEEDLE_QUOTE: string = `> ${LINE}`;
