import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*", "apps/*", "tools"],
    reporters: ["default", "./tools/closing-line-reporter.ts"],
  },
});
