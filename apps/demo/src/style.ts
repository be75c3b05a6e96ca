/** How parts of the view stand out. Without colour all of them are plain. */
export interface Style {
  strong(text: string): string;
  quiet(text: string): string;
  call(text: string): string;
  failure(text: string): string;
}

/** Colour is for terminals, unless `NO_COLOR` (https://no-color.org) or `TERM=dumb` says no. */
export function chooseStyle({
  isTerminal,
  env,
}: {
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Style {
  const isRefused = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  return isTerminal && !isRefused ? colourStyle : plainStyle;
}

const plainStyle: Style = {
  strong: (text) => text,
  quiet: (text) => text,
  call: (text) => text,
  failure: (text) => text,
};

const colourStyle: Style = {
  strong: (text) => paint(1, text),
  quiet: (text) => paint(2, text),
  call: (text) => paint(36, text),
  failure: (text) => paint(31, text),
};

function paint(code: number, text: string): string {
  return `\u001b[${code}m${text}\u001b[0m`;
}
