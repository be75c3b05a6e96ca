import { expect, test } from "vitest";
import { bodyPieces, WireBody } from "./wire-body.js";

test("small pieces become one, large ones are handed on as they are", () => {
  const large = Buffer.alloc(100_000, "x");
  const body = new WireBody([Buffer.from("[1"), Buffer.from(",2,"), large, Buffer.from("]")]);
  expect(body.pieces.map(({ length }) => length)).toEqual([5, 100_000, 1]);
  expect(body.pieces[1]).toBe(large);
  expect(body.byteLength).toBe(100_006);
  expect(`${String(body).slice(0, 6)}…${String(body).slice(-2)}`).toBe("[1,2,x…x]");
});

test("a body may be text", () => {
  expect(Buffer.concat(bodyPieces("grüße")).toString()).toBe("grüße");
});
