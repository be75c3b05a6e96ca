import { fileURLToPath } from "node:url";
import { createServer } from "vite";
import { expect, onTestFinished, test } from "vitest";

test.each(["index.ts", "s3/index.ts", "testing/index.ts"])(
  "importing %s loads the blob room of llm-worker and no other, and no AWS SDK",
  async (entry) => {
    const server = await createServer({
      configFile: false,
      logLevel: "silent",
      server: { middlewareMode: true, watch: null, ws: false },
      optimizeDeps: { noDiscovery: true },
      ssr: { resolve: { conditions: ["@llm-worker/source", "node"] } },
    });
    onTestFinished(() => server.close());
    await server.ssrLoadModule(fileURLToPath(new URL(`../src/${entry}`, import.meta.url)));
    const loaded = [...server.moduleGraph.idToModuleMap.keys()];
    const rooms = loaded
      .map((id) => /\/llm-worker\/src\/([^/]+)/.exec(id)?.[1])
      .filter((room) => room !== undefined);
    expect(new Set(rooms)).toEqual(new Set(["blob"]));
    const results = [...server.moduleGraph.idToModuleMap.values()].map((m) => m.ssrTransformResult);
    const imported = results.flatMap((result) => result?.deps ?? []);
    const importedLater = results.flatMap((result) => result?.dynamicDeps ?? []);
    expect(imported.filter((name) => name.startsWith("@aws-sdk"))).toEqual([]);
    expect(importedLater).toEqual(entry === "s3/index.ts" ? ["@aws-sdk/client-s3"] : []);
  },
);
