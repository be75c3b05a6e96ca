/** The port that the server listens on by default. */
const DEFAULT_PORT = "11434";

/**
 * The address that a value of `OLLAMA_HOST` names, `undefined` for a blank one. The variable is read
 * by the server too, so it may be a host, a port or both, with or without a scheme, and it may name
 * the address that listens on all interfaces, to which nothing can be sent.
 */
export function hostAddress(value: string): string | undefined {
  const text = value.trim().replace(/^["']|["']$/g, "");
  if (text === "") return undefined;
  const hasScheme = /^https?:\/\//i.test(text);
  const written = hasScheme ? text : `http://${text.startsWith(":") ? `127.0.0.1${text}` : text}`;
  // What is no address is left as it is: the provider refuses it and says so.
  if (!URL.canParse(written)) return text;
  const url = new URL(written);
  if (!hasScheme && url.port === "" && !/:80(\/|$)/.test(written)) url.port = DEFAULT_PORT;
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  return url.href.replace(/\/+$/, "");
}
