import { isRecord, type JsonValue, listOf, stringOf, type WireRecord } from "llm-worker";

/** Deeper paths than this are a server's mistake, not arguments. */
const MAX_PATH_LENGTH = 100;

type Container = Record<string, JsonValue> | JsonValue[];
type Step = string | number;

/** Arguments that arrive piece by piece (`partialArgs`; Vertex AI, streamFunctionCallArguments). */
export class PartialArguments {
  // Without a prototype every key, `__proto__` too, is a key like any other.
  readonly #root: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
  /** Paths of strings that go on. */
  readonly #growing = new Set<string>();

  /** Takes the pieces of one part. `false` if one of them cannot be read: then something is missing. */
  add(partialArgs: unknown): boolean {
    return listOf(partialArgs).every((piece) => isRecord(piece) && this.#addPiece(piece));
  }

  /** The JSON text of what there is. */
  toJson(): string {
    return JSON.stringify(this.#root);
  }

  #addPiece({ jsonPath, willContinue, ...values }: WireRecord): boolean {
    if (Object.keys(values).length === 0) return true;
    const path = stringOf(jsonPath);
    const steps = parsePath(path);
    const value = valueOf(values);
    const last = steps?.at(-1);
    if (steps === undefined || last === undefined || value === undefined) return false;
    const container = this.#containerOf(steps);
    if (container === undefined) return false;
    const before = this.#growing.has(path) ? read(container, last) : undefined;
    const grown = typeof before === "string" && typeof value === "string" ? before + value : value;
    if (willContinue === true) this.#growing.add(path);
    else this.#growing.delete(path);
    return write(container, last, grown);
  }

  /** The object or array that the last step is in, made where it is not there yet. */
  #containerOf(steps: readonly Step[]): Container | undefined {
    let container: Container = this.#root;
    for (let depth = 0; depth < steps.length - 1; depth++) {
      // The loop stays within the path.
      const step = steps[depth] as Step;
      let next = read(container, step);
      if (next === undefined) {
        next = typeof steps[depth + 1] === "number" ? [] : (Object.create(null) as Container);
        if (!write(container, step, next)) return undefined;
      }
      if (typeof next !== "object" || next === null) return undefined;
      container = next as Container;
    }
    return container;
  }
}

/** Source: RFC 9535, as far as it names one place: `$.a.b[0]['c d']`. */
function parsePath(path: string): readonly Step[] | undefined {
  if (!path.startsWith("$")) return undefined;
  const steps: Step[] = [];
  const step = /\.([^.[\]'"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\['((?:[^'\\]|\\.)*)'\]/y;
  step.lastIndex = 1;
  while (step.lastIndex < path.length) {
    const match = step.exec(path);
    if (match === null || steps.length === MAX_PATH_LENGTH) return undefined;
    const [, name, index, quoted, singleQuoted] = match;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(name ?? unquote(quoted ?? `"${toDoubleQuoted(singleQuoted ?? "")}"`));
  }
  return steps;
}

function toDoubleQuoted(text: string): string {
  return text.replaceAll(/\\'|"/g, (match) => (match === '"' ? '\\"' : "'"));
}

function unquote(json: string): string {
  try {
    return stringOf(JSON.parse(json));
  } catch {
    return json.slice(1, -1);
  }
}

function valueOf(values: WireRecord): JsonValue | undefined {
  const { stringValue, numberValue, boolValue } = values;
  if (typeof stringValue === "string") return stringValue;
  if (typeof numberValue === "number") return numberValue;
  if (typeof boolValue === "boolean") return boolValue;
  return "nullValue" in values ? null : undefined;
}

function read(container: Container, step: Step): JsonValue | undefined {
  if (Array.isArray(container)) return typeof step === "number" ? container[step] : undefined;
  return container[step];
}

/** Elements come in order: a place beyond the end is a server's mistake. */
function write(container: Container, step: Step, value: JsonValue): boolean {
  if (!Array.isArray(container)) container[step] = value;
  else if (typeof step === "number" && step <= container.length) container[step] = value;
  else return false;
  return true;
}
