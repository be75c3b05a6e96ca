import { mergeConfig, type ViteUserConfig } from "vitest/config";
import shared from "../../vitest.shared.ts";

const config: ViteUserConfig = mergeConfig(shared, {
  // It says once a process that future versions need a newer Node.
  test: { env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" } },
});
// The AWS SDK's files for bundlers are not what Node can load: tests take those that programs get.
config.ssr = { resolve: { conditions: ["@llm-worker/source", "node", "development|production"] } };
export default config;
