import { fileURLToPath } from "node:url";
import { createServer } from "vite";
import { expect, onTestFinished, test } from "vitest";

test.each(["index.ts", "testing/index.ts"])(
  "importing %s loads the blob room of llm-worker and no other",
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
  },
);
