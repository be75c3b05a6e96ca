import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const RESULTS = new URL("../../RESULTS.md", import.meta.url);

const HEAD = `# Results

Written by \`npm run bench\`: a run of a measure replaces its section and leaves the others as they are. Subjects take turns
within a run; every ratio is the median of the ratios of the rounds, and only figures of one table can be compared: the
machine is shared. \`x limit\` is llm-worker over the physical limit; in a rival's column stands its own figure and how many
times ours that is. Versions of the rivals: \`bench/rivals/package.json\`.
`;

/** Puts a measure's section in its place among the others, in the order of `names`. */
export async function writeSection(
  name: string,
  section: string,
  names: readonly string[],
  file: string = fileURLToPath(RESULTS),
): Promise<void> {
  const sections = readSections(await readFile(file, "utf8").catch(() => ""));
  sections.set(name, section);
  const ordered = names.flatMap((one) => {
    const text = sections.get(one);
    return text === undefined ? [] : [`${marker(one)}\n${text.trimEnd()}\n`];
  });
  await writeFile(file, [HEAD, ...ordered].join("\n"));
}

function marker(name: string): string {
  return `<!-- measure: ${name} -->`;
}

function readSections(text: string): Map<string, string> {
  const [, ...parts] = text.split(/^<!-- measure: (\S+) -->\n/m);
  const sections = new Map<string, string>();
  for (let i = 0; i + 1 < parts.length; i += 2) {
    sections.set(parts[i] ?? "", (parts[i + 1] ?? "").trim());
  }
  return sections;
}
