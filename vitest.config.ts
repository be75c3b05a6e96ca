import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["{packages,apps,tools}/*/vitest.config.ts", "bench*/vitest.config.ts"],
    reporters: ["default", "./tools/closing-line-reporter.ts"],
  },
});
