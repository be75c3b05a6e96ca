import { defineConfig, type ViteUserConfig } from "vitest/config";

/**
 * What each package's own vitest.config.ts extends.
 * The condition makes imports across packages land in `src`, so that tests need no build.
 */
const shared: ViteUserConfig = defineConfig({
  ssr: {
    resolve: {
      conditions: ["@llm-worker/source", "module", "node", "development|production"],
    },
  },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
export default shared;
