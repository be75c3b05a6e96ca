import { refuse, refuseField } from "./refuse.js";
import type { Content, Part } from "./request-types.js";
import { isSignatureOfCall, isSignatureOfText } from "./signature.js";

/**
 * Checks what the fields alone do not tell: that each part holds one thing, that calls and responses
 * stand in the order and number that they have to, and that signatures come back where they belong.
 */
export function checkContents(contents: readonly Content[], needsSignatures: boolean): void {
  contents.forEach((content, index) => {
    content.parts.forEach((part, at) => {
      const place = `contents[${index}].parts[${at}]`;
      checkPart(part, place);
      checkSignature(part);
    });
    checkOrder(content, contents[index - 1], index);
    if (callsOf(content).length > 0) checkResponses(content, contents[index + 1]);
  });
  if (needsSignatures) checkCurrentTurn(contents);
}

const DATA_FIELDS: readonly string[] = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
];

function checkPart(part: Part, place: string): void {
  const data = Object.keys(part).filter((name) => DATA_FIELDS.includes(name));
  if (data.length === 1 || (data.length === 0 && part.thoughtSignature !== undefined)) return;
  if (data.length > 1)
    refuse(`Invalid value at '${place}' (oneof), oneof field 'data' is already set.`);
  refuseField(`${place}.data`, "required oneof field 'data' must have one initialized field");
}

function checkSignature({ thoughtSignature: signature, functionCall }: Part): void {
  if (signature === undefined) return;
  const isOwn = functionCall
    ? isSignatureOfCall(signature, functionCall)
    : isSignatureOfText(signature);
  if (!isOwn) refuse("Corrupted thought signature.");
}

function checkOrder(content: Content, previous: Content | undefined, index: number): void {
  const { role = "user" } = content;
  if (callsOf(content).length > 0) {
    if (role !== "model") refuseField(`contents[${index}]`, "function calls need the role 'model'");
    if (previous === undefined || previous.role === "model") {
      refuse(
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    }
  }
  if (responsesOf(content).length === 0) return;
  if (role !== "user") refuseField(`contents[${index}]`, "function responses need the role 'user'");
  if (previous === undefined || callsOf(previous).length === 0) {
    refuse(
      "Please ensure that function response turn comes immediately after a function call turn.",
    );
  }
}

function checkResponses(content: Content, next: Content | undefined): void {
  const calls = callsOf(content);
  const responses = next === undefined ? [] : responsesOf(next);
  if (responses.length !== calls.length) {
    refuse(
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    );
  }
  const open = [...calls];
  for (const { id, name } of responses) {
    const at = open.findIndex((call) => call.name === name && (id === undefined || call.id === id));
    if (at === -1) {
      refuse(
        `Please ensure that each function response has the name and id of a function call: ${name} ${id ?? ""}`,
      );
    }
    open.splice(at, 1);
  }
}

/** Each step since the user last said something begins with a signed call. */
function checkCurrentTurn(contents: readonly Content[]): void {
  const isPrompt = (content: Content): boolean =>
    content.role !== "model" && content.parts.some((part) => part.functionResponse === undefined);
  const start = contents.findLastIndex(isPrompt);
  for (const content of contents.slice(start + 1)) {
    const at = content.parts.findIndex((part) => part.functionCall !== undefined);
    const first = content.parts[at];
    if (first === undefined || first.thoughtSignature !== undefined) continue;
    refuse(
      "Function call is missing a thought_signature in functionCall parts. This is required for tools to work " +
        `correctly. Additional data, function call \`default_api:${first.functionCall?.name}\`, position ${at + 1}.`,
    );
  }
}

function callsOf({ parts }: Content): NonNullable<Part["functionCall"]>[] {
  return parts.flatMap((part) => part.functionCall ?? []);
}

function responsesOf({ parts }: Content): NonNullable<Part["functionResponse"]>[] {
  return parts.flatMap((part) => part.functionResponse ?? []);
}
