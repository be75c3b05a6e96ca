import type { Reporter, TestModule } from "vitest/node";

/** Ends the log with one line for machines: `N passed, N failed, N skipped`. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(testModules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const testModule of testModules) {
      let failedTests = 0;
      for (const test of testModule.children.allTests()) {
        const state = test.result().state;
        if (state === "passed") count.passed += 1;
        else if (state === "failed") failedTests += 1;
        else count.skipped += 1;
      }
      // A file that cannot even be loaded has no tests, but has failed.
      count.failed += failedTests === 0 && testModule.state() === "failed" ? 1 : failedTests;
    }
    process.on("exit", () => {
      process.stdout.write(
        `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`,
      );
    });
  }
}
