import { findPlace, type Place } from "./place.js";
import { findTerms, splitWords, type Term, wholeWords } from "./terms.js";

/** What the model takes from the user's question: nothing but words, paths and numbers. */
export interface Question {
  readonly text: string;
  /** Files and folders that it names. */
  readonly paths: readonly string[];
  /** What to look for, the most telling first. */
  readonly terms: readonly Term[];
  /** Its words in lower case, those of paths left out, to be met again in JSON keys. */
  readonly words: ReadonlySet<string>;
  /** The same with the parts of composed ones: of `retry_budget` also `retry` and `budget`. */
  readonly wordParts: ReadonlySet<string>;
  /** A place that it names: "line 20", "the last entry". */
  readonly place?: Place | undefined;
  /** It asks for files, not for something in one. */
  readonly asksForFiles: boolean;
  /** It asks how many there are, or how large something is. */
  readonly asksForTotals: boolean;
  /** It wants the tool to run again although the result is known. */
  readonly asksForFresh: boolean;
}

/** More of a question than this is data that came with it. */
const MAX_QUESTION_CHARACTERS = 8000;
const MAX_PATHS = 4;

const FILES =
  /\bfiles\b|\bdateien\b|\bfichiers\b|\barchivos\b|\bficheros\b|\barquivos\b|\bbestanden\b|файл[ыао]|哪些文件|どのファイル|어떤 파일/iu;
const TOTALS =
  /\bhow (?:many|much|big|large|long)\b|\bcount\b|\bsize\b|\btotal\b|\bwie ?viele?\b|\bcombien\b|\bcu[aá]nt[oa]s?\b|\bquant[oaie]s?\b|сколько|多少|いくつ|몇/iu;
const FRESH =
  /\bagain\b|\bre-?read\b|\brefresh\b|\bnochmal\b|\berneut\b|\bde nuevo\b|снова|再次|もう一度/iu;
const CONTINUE =
  /^\W*(?:please\s+)?(?:continue|go on|go ahead|carry on|keep going|proceed|resume|weiter|continuez|continúa|continua|продолжай|继续|続けて|계속)[\s.!。]*$/iu;

/** Takes a question apart. Knows no language: it goes by form, and by small lists of frequent words. */
export function readQuestion(text: string): Question {
  const question = text.slice(0, MAX_QUESTION_CHARACTERS);
  const asksForFiles = FILES.test(question);
  const place = findPlace(question);
  const { literals, rest } = takeLiterals(question);
  const quotedPaths = asksForFiles ? [] : literals.filter((literal) => isFileName(literal));
  const found = takePaths(rest);
  const paths = [...new Set([...quotedPaths, ...found.paths])].slice(0, MAX_PATHS);
  const textLiterals = literals.filter((literal) => !paths.includes(literal));
  const spoken = [found.rest, ...textLiterals].join(" . ");
  return {
    text: question,
    paths,
    terms: findTerms(
      place === undefined ? found.rest : found.rest.replace(place.source, " "),
      textLiterals,
    ),
    words: new Set(wholeWords(spoken)),
    wordParts: new Set(splitWords(spoken)),
    place,
    asksForFiles: asksForFiles && !paths.some((path) => isFileName(path)),
    asksForTotals: TOTALS.test(question),
    asksForFresh: FRESH.test(question),
  };
}

/** Whether a message only asks to go on with what was asked before. */
export function isContinuation(text: string): boolean {
  return CONTINUE.test(text);
}

const QUOTED =
  /"([^"\n]+)"|“([^”\n]+)”|„([^“”\n]+)[“”]|«\s?([^»\n]+?)\s?»|「([^」\n]+)」|『([^』\n]+)』|`([^`\n]+)`|(?<=^|[\s(])'([^'\n]+)'(?=$|[\s.,;:?!)])/gu;

function takeLiterals(text: string): { literals: string[]; rest: string } {
  const literals: string[] = [];
  const rest = text.replaceAll(QUOTED, (...match: unknown[]) => {
    const literal = match.slice(1, 9).find((group) => typeof group === "string");
    if (typeof literal === "string" && literal.trim() !== "") literals.push(literal.trim());
    return " \u0000 ";
  });
  return { literals, rest };
}

const WEB = /\b[a-z][a-z0-9+.-]*:\/\/\S+|[\w.+-]+@[\w-]+\.[\w.]+/giu;
const SPACED = String.raw`\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Nd}`;
const TOKEN = new RegExp(String.raw`~?[${SPACED}\p{M}_@+\-./\\]*[${SPACED}\p{M}_/]`, "gu");
const EXTENSION = /^(?:.*[/\\])?[^/\\]*[^/\\.]\.\p{L}[\p{L}\d]{0,8}(?:\.\d+)?$/u;
const IN_FOLDER = /^(?:[\w.@~+-]*\/)+[\w@+-]+(?:\.[\w@+-]+)+$/u;
const BARE_NAME = /^(?:.*[/\\])?(?:readme|license|makefile|dockerfile|changelog|\.[a-z][\w.-]+)$/iu;
/** Endings that make a name a file beyond doubt. */
const COMMON_EXTENSION =
  /\.(?:txt|log|md|json[l5]?|ndjson|csv|tsv|xml|ya?ml|toml|ini|conf|cfg|env|html?|css|[cm]?[jt]sx?|py|rb|rs|go|java|kt|c|h|cpp|hpp|cs|php|sh|sql|pdf|png|jpe?g|gz|zip|out|diff|patch|lock)$/iu;
/** Names with these endings are hosts or abbreviations more often than files. */
const NOT_A_FILE = /^(?:www\..*|.*\.(?:com|org|net|io|dev|eu|edu|gov)|(?:\p{L}\.)+\p{L}\.?)$/iu;
const NOT_A_PATH = /^(?:and\/or|und\/oder|he\/she|his\/her|yes\/no|n\/a|\d+(?:\/\d+)*|\/+)$/iu;

/** Whether a text looks like the name of a file, with or without folders. */
export function isFileName(text: string): boolean {
  if (/\s{2}|[\n<>|*?]/u.test(text) || NOT_A_FILE.test(text)) return false;
  return (
    IN_FOLDER.test(text) ||
    (EXTENSION.test(text) && !/\s\S*\s\S*\s/u.test(text)) ||
    BARE_NAME.test(text)
  );
}

function takePaths(text: string): { paths: string[]; rest: string } {
  const webAddresses: string[] = [];
  const withoutWeb = text.replaceAll(WEB, (address) => {
    webAddresses.push(address);
    return " ";
  });
  const files: string[] = [];
  const folders: string[] = [];
  const isSure = (token: string): boolean => /[/\\]/u.test(token) || COMMON_EXTENSION.test(token);
  // Beside "conf.json", "server.port" is rather a key in it.
  const hasSureFile =
    withoutWeb.match(TOKEN)?.some((token) => COMMON_EXTENSION.test(token)) ?? false;
  const rest = withoutWeb.replaceAll(TOKEN, (token) => {
    const isFile = isFileName(token) && (isSure(token) || !hasSureFile);
    if (!isFile && (!/[/\\]/u.test(token) || NOT_A_PATH.test(token))) return token;
    (isFile ? files : folders).push(token);
    return " ";
  });
  return { paths: [...files, ...folders], rest: [rest, ...webAddresses].join(" ") };
}
