/** What `--help` prints. */
export const USAGE: string = `Asks a model about files that are too large for its context.

  npm run demo                              two questions about sample files made for the run
  npm run demo -- FILE ["QUESTION"]         a question about your file
  npm run demo -- --dir DIR "QUESTION"      a question about the files in a folder

  --provider NAME   scripted (default), anthropic, openai, openai-chat, gemini or ollama; with
                    ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OLLAMA_HOST the real one,
                    else the scripted model on its wire: no key, no network
  --model NAME      with --provider NAME: a model of the real one
  --base-url URL    with --provider NAME: a service that speaks the same wire
  --wire NAME       with --provider scripted: the provider whose wire it speaks
  --port N          the scripted model's port on 127.0.0.1; default: one that is free
  --seed N          another set of sample files
  --store DIR       keep the stored outputs and the histories in DIR
  --json            one JSON document with the same facts, instead of text
  --help            this text

The model gets read_file, grep and list_dir, confined to FILE or DIR, and inspect for what was stored.
`;
