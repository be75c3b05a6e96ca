/** What a bench may know of its surroundings. */
export interface BenchContext {
  readonly env: NodeJS.ProcessEnv;
  /** Relative paths on the command line start here. */
  readonly currentDirectory: string;
  write(text: string): void;
}
