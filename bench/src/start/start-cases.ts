/** One thing that a user starts with, ours or a rival's. */
export interface Choice {
  /** Its name in the table. */
  readonly name: string;
  /** `specifier#export`, in the order of import. */
  readonly imports: readonly string[];
}

/** The same means by all. */
export interface StartCase {
  readonly name: string;
  readonly ours: readonly string[];
  readonly rivals: readonly Choice[];
}

/** What is compared: enough for one provider, and for four with outputs in files. */
export const startCases: readonly StartCase[] = [
  {
    name: "core + one provider",
    ours: ["llm-worker#Worker", "@llm-worker/providers-anthropic#anthropic"],
    rivals: [
      { name: "ollama", imports: ["ollama#Ollama"] },
      { name: "openai", imports: ["openai#OpenAI"] },
      { name: "ai", imports: ["ai#streamText", "@ai-sdk/anthropic#anthropic"] },
      { name: "@anthropic-ai/sdk", imports: ["@anthropic-ai/sdk#Anthropic"] },
      { name: "@google/genai", imports: ["@google/genai#GoogleGenAI"] },
      {
        name: "@tanstack/ai",
        imports: ["@tanstack/ai#chat", "@tanstack/ai-anthropic#anthropicText"],
      },
      {
        name: "LangChain",
        imports: ["@langchain/core/messages#AIMessage", "@langchain/anthropic#ChatAnthropic"],
      },
      { name: "pi-ai", imports: ["@mariozechner/pi-ai#stream"] },
    ],
  },
  {
    name: "core + four providers + files",
    ours: [
      "llm-worker#Worker",
      "@llm-worker/providers-anthropic#anthropic",
      "@llm-worker/providers-openai#openai",
      "@llm-worker/providers-gemini#gemini",
      "@llm-worker/providers-ollama#ollama",
      "llm-worker-persistence#FsBlobStore",
    ],
    rivals: [
      {
        name: "ai",
        imports: [
          "ai#streamText",
          "@ai-sdk/anthropic#anthropic",
          "@ai-sdk/openai#openai",
          "@ai-sdk/google#google",
          "ollama-ai-provider-v2#ollama",
        ],
      },
      {
        name: "@tanstack/ai",
        imports: [
          "@tanstack/ai#chat",
          "@tanstack/ai-anthropic#anthropicText",
          "@tanstack/ai-openai#openaiText",
          "@tanstack/ai-gemini#geminiText",
          "@tanstack/ai-ollama#ollamaText",
        ],
      },
      {
        name: "LangChain",
        imports: [
          "@langchain/core/messages#AIMessage",
          "@langchain/anthropic#ChatAnthropic",
          "@langchain/openai#ChatOpenAI",
          "@langchain/google-genai#ChatGoogleGenerativeAI",
          "@langchain/ollama#ChatOllama",
        ],
      },
      { name: "pi-ai", imports: ["@mariozechner/pi-ai#stream"] },
      { name: "deepagents", imports: ["deepagents#createDeepAgent"] },
    ],
  },
];

/** The packages that specifiers with exports name, each once. */
export function packagesOf(imports: readonly string[]): readonly string[] {
  return [
    ...new Set(
      imports.map((specifier) => {
        const [first = "", second = ""] = (specifier.split("#", 1)[0] ?? "").split("/");
        return first.startsWith("@") ? `${first}/${second}` : first;
      }),
    ),
  ];
}
