import { InspectError } from "./inspect-error.js";
import { bytesScope, linesScope, wholeScope } from "./scope.js";
import type { Selector } from "./selector.js";
import { openMember, openSlice, type SliceStep } from "./values.js";
import { describeView, type Scope, type View } from "./view.js";

/** What a selector asks for. */
export type Target =
  | { readonly type: "scope"; readonly view: View; readonly scope: Scope }
  | { readonly type: "entries"; readonly view: View; readonly step: SliceStep }
  | { readonly type: "find"; readonly view: View; readonly scope: Scope; readonly text: string };

/**
 * Follows the steps of a selector from a whole blob to what they ask for.
 *
 * @throws InspectError if a step does not fit
 */
export async function resolveSelector(blob: View, selector: Selector): Promise<Target> {
  let view = blob;
  let scope: Scope | undefined;
  for (const [index, step] of selector.entries()) {
    if (scope !== undefined && (step.type === "key" || step.type === "slice")) {
      throw new InspectError(
        "wrong_kind",
        `${step.type}: cannot follow lines: or bytes:, which leave a piece of text; put it before them\n${describeView(view)}`,
      );
    }
    switch (step.type) {
      case "key":
        view = await openMember(view, step);
        break;
      case "slice":
        if (index === selector.length - 1) return { type: "entries", view, step };
        view = await openSlice(view, step);
        break;
      case "lines":
        scope = await linesScope(view, scope ?? wholeScope(view), step);
        break;
      case "bytes":
        scope = await bytesScope(view, scope ?? wholeScope(view), step);
        break;
      case "find":
        return { type: "find", view, scope: scope ?? wholeScope(view), text: step.text };
    }
  }
  return { type: "scope", view, scope: scope ?? wholeScope(view) };
}
