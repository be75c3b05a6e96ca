import { expect, test } from "vitest";
import { JsonBody, jsonList } from "./json-body.js";

test("a body has its fields in the order in which they were set, and those that win in place", () => {
  const body = new JsonBody();
  body.set("model", "m");
  body.setJson("items", jsonList(['{"a":1.0}', "2"]));
  body.set("stream", true);
  body.set("stop", undefined);
  body.override({ model: "other", extra: [null] });
  expect(String(body.toBody())).toBe(
    '{"model":"other","items":[{"a":1.0},2],"stream":true,"extra":[null]}',
  );
});

test("nothing set is an empty object, no items an empty list", () => {
  expect(String(new JsonBody().toBody())).toBe("{}");
  expect(jsonList([])).toBe("[]");
});
