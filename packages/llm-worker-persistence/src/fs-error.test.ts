import { runInNewContext } from "node:vm";
import { createBlobId } from "./blob-id.js";
import { expect, test } from "vitest";
import { toReadError, toWriteError } from "./fs-error.js";

function foreign(code: string): unknown {
  return runInNewContext(`Object.assign(new Error("it broke"), { code: "${code}" })`);
}

test("errors of another realm say what they say", () => {
  expect(toReadError(foreign("ENOENT"), createBlobId())).toMatchObject({ code: "not_found" });
  expect(toReadError(foreign("EACCES"), createBlobId())).toMatchObject({ code: "forbidden" });
  expect(toWriteError(foreign("ENOSPC"))).toMatchObject({ code: "no_space" });
});

test.each([undefined, null, "ENOENT", { code: 2 }])("%j has no code", (thrown) => {
  expect(toWriteError(thrown)).toMatchObject({ code: "unavailable", cause: thrown });
});
