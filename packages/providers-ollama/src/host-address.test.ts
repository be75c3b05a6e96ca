import { expect, test } from "vitest";
import { hostAddress } from "./host-address.js";

test.each([
  ["example.test", "http://example.test:11434"],
  ["example.test:1234", "http://example.test:1234"],
  ["example.test:80", "http://example.test"],
  [":1234", "http://127.0.0.1:1234"],
  ["0.0.0.0", "http://127.0.0.1:11434"],
  ["0.0.0.0:1234", "http://127.0.0.1:1234"],
  ["[::]:1234", "http://[::1]:1234"],
  ["[::1]", "http://[::1]:11434"],
  ["http://example.test", "http://example.test"],
  ["https://example.test/", "https://example.test"],
  ["https://example.test:1234/ollama/", "https://example.test:1234/ollama"],
  ["example.test/ollama", "http://example.test:11434/ollama"],
  [' "example.test" ', "http://example.test:11434"],
])("%j names %s", (value, address) => {
  expect(hostAddress(value)).toBe(address);
});

test("a blank value names nothing", () => {
  expect(hostAddress(" ")).toBeUndefined();
});

test("what is no address is left for the provider to refuse", () => {
  expect(hostAddress("not a host")).toBe("not a host");
});
