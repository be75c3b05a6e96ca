import { runInNewContext } from "node:vm";
import { createBlobId } from "./blob-id.js";
import { expect, test } from "vitest";
import { toSessionError } from "./session/fs-session-error.js";
import { toReadError, toWriteError } from "./fs-error.js";

function foreign(code: string): unknown {
  return runInNewContext(`Object.assign(new Error("it broke"), { code: "${code}" })`);
}

test("errors of another realm say what they say", () => {
  expect(toReadError(foreign("ENOENT"), createBlobId())).toMatchObject({ code: "not_found" });
  expect(toReadError(foreign("EACCES"), createBlobId())).toMatchObject({ code: "forbidden" });
  expect(toWriteError(foreign("ENOSPC"))).toMatchObject({ code: "no_space" });
});

test("what the permission model of Node refuses is forbidden", () => {
  const refused = Object.assign(new Error("refused"), { code: "ERR_ACCESS_DENIED" });
  expect(toReadError(refused, createBlobId())).toMatchObject({ code: "forbidden" });
  expect(toSessionError(refused, "s")).toMatchObject({ code: "forbidden" });
});

test.each([undefined, null, "ENOENT", { code: 2 }])("%j has no code", (thrown) => {
  expect(toWriteError(thrown)).toMatchObject({ code: "unavailable", cause: thrown });
});
