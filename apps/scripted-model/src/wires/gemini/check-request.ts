import { withoutNulls } from "../nulls.js";
import {
  anyObject,
  anything,
  boolean,
  filledList,
  integer,
  list,
  number,
  object,
  oneOf,
  type Shape,
  string,
} from "../shape.js";
import { checkContents } from "./check-contents.js";
import { apiSchema } from "./check-schema.js";
import { refusal, refuse, refuseField } from "./refuse.js";
import { declaredFunctions, type GenerateRequest } from "./request-types.js";

const FUNCTION_NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
const MAX_STOP_SEQUENCES = 5;
const LEVELS = ["MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH"];
/** Models before these do not ask for signatures. */
const WITHOUT_SIGNATURES = /^gemini-[12][.-]/;

const FREE_FIELDS: ReadonlySet<string> = new Set([
  "args",
  "response",
  "parametersJsonSchema",
  "responseJsonSchema",
  "default",
  "example",
]);

const part = object(
  {},
  {
    text: string,
    thought: boolean,
    thoughtSignature: string,
    functionCall: object({ name: string }, { id: string, args: anyObject }),
    functionResponse: object(
      { name: string, response: anyObject },
      { id: string, parts: list(anyObject), willContinue: boolean, scheduling: string },
    ),
    inlineData: object({ mimeType: string, data: string }),
    fileData: object({ fileUri: string }, { mimeType: string }),
    executableCode: anyObject,
    codeExecutionResult: anyObject,
    toolCall: anyObject,
    toolResponse: anyObject,
    videoMetadata: anyObject,
    partMetadata: anyObject,
    mediaResolution: anything,
  },
);

const tool = object(
  {},
  {
    functionDeclarations: list(
      object(
        { name: string },
        {
          description: string,
          parameters: apiSchema,
          parametersJsonSchema: anyObject,
          response: apiSchema,
          responseJsonSchema: anyObject,
          behavior: string,
        },
      ),
    ),
    googleSearch: anyObject,
    googleSearchRetrieval: anyObject,
    googleMaps: anyObject,
    codeExecution: anyObject,
    urlContext: anyObject,
    fileSearch: anyObject,
    computerUse: anyObject,
  },
);

const mode: Shape = oneOf("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED");

const request = object(
  { contents: filledList(object({ parts: filledList(part) }, { role: oneOf("user", "model") })) },
  {
    // Of the instruction the role is not looked at.
    systemInstruction: object({ parts: filledList(part) }, { role: string }),
    tools: list(tool),
    toolConfig: object(
      {},
      {
        functionCallingConfig: object({}, { mode, allowedFunctionNames: list(string) }),
        retrievalConfig: anyObject,
        includeServerSideToolInvocations: boolean,
      },
    ),
    safetySettings: list(object({ category: string, threshold: string })),
    generationConfig: object(
      {},
      {
        maxOutputTokens: integer(1),
        stopSequences: list(string, MAX_STOP_SEQUENCES),
        temperature: number,
        topP: number,
        topK: number,
        seed: integer(),
        candidateCount: integer(1, 1),
        presencePenalty: number,
        frequencyPenalty: number,
        responseMimeType: string,
        responseSchema: apiSchema,
        responseJsonSchema: anything,
        responseModalities: list(string),
        responseLogprobs: boolean,
        logprobs: integer(0, 20),
        mediaResolution: string,
        speechConfig: anyObject,
        imageConfig: anyObject,
        enableEnhancedCivicAnswers: boolean,
        thinkingConfig: object(
          {},
          {
            includeThoughts: boolean,
            thinkingBudget: integer(-1),
            thinkingLevel: oneOf(...LEVELS, ...LEVELS.map((level) => level.toLowerCase())),
          },
        ),
      },
    ),
    cachedContent: string,
    serviceTier: string,
    store: boolean,
  },
);

/**
 * Checks the body of a request as the provider does.
 *
 * @throws Refusal, ShapeError for what the provider refuses
 */
export function checkRequest(body: unknown, model: string): GenerateRequest {
  const given = withoutNulls(body, FREE_FIELDS);
  request(given, []);
  // `request` has checked every field that the type declares.
  const checked = given as GenerateRequest;
  if (checked.cachedContent !== undefined) {
    throw refusal("PERMISSION_DENIED", "CachedContent not found (or permission denied)");
  }
  if (checked.systemInstruction?.parts.some((entry) => entry.text === undefined) === true) {
    refuseField("system_instruction.parts", "must be text");
  }
  checkFunctions(checked);
  checkCalling(checked);
  checkGeneration(checked);
  checkContents(checked.contents, !WITHOUT_SIGNATURES.test(model));
  return checked;
}

function checkFunctions(checked: GenerateRequest): void {
  const names = new Set<string>();
  checked.tools?.forEach((entry, index) => {
    entry.functionDeclarations?.forEach((declared, at) => {
      const place = `tools[${index}].function_declarations[${at}]`;
      if (!FUNCTION_NAME.test(declared.name)) {
        refuseField(
          `${place}.name`,
          "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.",
        );
      }
      if (names.has(declared.name))
        refuse(`Duplicate function declaration found: ${declared.name}`);
      names.add(declared.name);
      if (declared.parameters !== undefined && declared.parametersJsonSchema !== undefined) {
        refuseField(place, "only one of parameters and parameters_json_schema can be set");
      }
    });
  });
}

function checkCalling(checked: GenerateRequest): void {
  const { mode: chosen, allowedFunctionNames: allowed = [] } =
    checked.toolConfig?.functionCallingConfig ?? {};
  const names = declaredFunctions(checked).map((declared) => declared.name);
  const isForced = chosen === "ANY" || chosen === "VALIDATED";
  if (isForced && names.length === 0) {
    refuse("Function calling config is set without function_declarations.");
  }
  if (allowed.length > 0 && !isForced) {
    refuse(
      "Please set allowed_function_names only when function calling mode is ANY or VALIDATED.",
    );
  }
  const unknown = allowed.find((name) => !names.includes(name));
  if (unknown !== undefined) refuse(`Allowed function name ${unknown} is not declared.`);
}

function checkGeneration({ generationConfig }: GenerateRequest): void {
  const { temperature = 1 }: { temperature?: number } = Object(generationConfig);
  if (temperature < 0 || temperature > 2) {
    refuse(
      `Unable to submit request because it has a temperature value of ${temperature} but the supported range is from 0 (inclusive) to 2.0001 (exclusive).`,
    );
  }
  const { thinkingBudget, thinkingLevel } = generationConfig?.thinkingConfig ?? {};
  if (thinkingBudget !== undefined && thinkingLevel !== undefined) {
    refuse("You can only set only one of thinking budget and thinking level.");
  }
}
