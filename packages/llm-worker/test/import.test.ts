import { expect, test, vi } from "vitest";

test("importing the package makes no segmenter: that takes as long as all the rest", async () => {
  const made = vi.spyOn(Intl, "Segmenter");
  const { Worker } = await import("../src/index.js");
  expect(Worker).toBeTypeOf("function");
  expect(made).not.toHaveBeenCalled();
});
