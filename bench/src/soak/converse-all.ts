import { measureUsage } from "../harness/usage.js";
import { questions } from "./files.js";

const QUESTIONS_PER_CONVERSATION = 4;

/** So many conversations, some of them at a time. */
export interface ConversationsRequest {
  /** Of the scripted model. */
  readonly url: string;
  readonly count: number;
  readonly concurrency: number;
  /** Whether only questions are asked whose tool outputs are a few lines. */
  readonly isSmall: boolean;
}

/** Asks one question in a conversation that goes on. @returns the answer */
export type Ask = (question: string) => Promise<string>;

/**
 * Has conversations of a few questions each and checks every answer.
 *
 * @returns milliseconds of this process's CPU for a conversation
 * @throws Error if an answer does not say what it has to
 */
export async function converseAll(
  { count, concurrency, isSmall }: ConversationsRequest,
  begin: (number: number) => Ask,
): Promise<number> {
  const asked = questions.filter((question) => !isSmall || question.isSmall === true);
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun < count) {
      const number = begun++;
      const ask = begin(number);
      for (let i = 0; i < QUESTIONS_PER_CONVERSATION; i++) {
        const question = asked[(number + i) % asked.length];
        if (question === undefined) throw new RangeError("no questions");
        const answer = await ask(question.text);
        if (!answer.includes(question.answerHas)) {
          throw new Error(`"${question.text}" was answered: ${answer.slice(0, 200)}`);
        }
      }
    }
  };
  const { usage } = await measureUsage(() =>
    Promise.all(Array.from({ length: concurrency }, () => lane())),
  );
  return usage.cpuMs / count;
}
