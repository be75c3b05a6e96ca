import type { ReadBackAnswer, Tool } from "../../src/tool/tool.js";

const signal = new AbortController().signal;

/** Calls a tool that reads back, as a worker would. */
export async function callReadFile(tool: Tool, input: unknown): Promise<ReadBackAnswer> {
  const validation = await tool.validate(input);
  if (!validation.ok) return { text: validation.issues.join("; "), isError: true };
  return (await tool.execute(validation.input, { callId: "read", signal })) as ReadBackAnswer;
}

/** The arguments, beside the path, that an answer names for what follows. */
export function nextOf({ text }: ReadBackAnswer): Readonly<Record<string, number>> | undefined {
  const json = / \| next: (\{.*\})$/.exec(text.split("\n", 1)[0] ?? "")?.[1];
  return json === undefined ? undefined : (JSON.parse(json) as Record<string, number>);
}

/** What an answer shows under its header. */
export function bodyOf({ text }: ReadBackAnswer): string {
  return text.slice(text.indexOf("\n") + 1);
}

/** All answers from the first to the one that reaches the end of the file. */
export async function walkFile(
  tool: Tool,
  path: string,
  first: Readonly<Record<string, number>> = {},
): Promise<readonly ReadBackAnswer[]> {
  const answers: ReadBackAnswer[] = [];
  let next: Readonly<Record<string, number>> | undefined = first;
  while (next !== undefined) {
    const answer = await callReadFile(tool, { path, ...next });
    if (answer.isError) throw new Error(answer.text.slice(0, 300));
    answers.push(answer);
    next = nextOf(answer);
  }
  return answers;
}
