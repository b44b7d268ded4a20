/** The arguments of `npm test -- …`. */
export interface TestArguments {
  /** Paths of test files or of folders with test files; none means all. */
  readonly prefixes: readonly string[];
  /** Options that are passed on to Node's test runner. */
  readonly options: readonly string[];
  readonly help: boolean;
}

export const HELP = `npm test                                  check, then every test
npm test -- packages/core                 only the tests below a path, without the check
npm test -- --test-name-pattern=alert     any option of Node's test runner, written with =

The tests use a PostgreSQL of their own, started and removed here; GRANARY_TEST_DATABASE_URL=postgres://…
names another one (as a user who may create databases).`;

export function parseTestArguments(args: readonly string[]): TestArguments {
  const isOption = (arg: string): boolean => arg.startsWith('-');
  return {
    help: args.includes('--help') || args.includes('-h'),
    options: args.filter(isOption),
    prefixes: args.filter((arg) => !isOption(arg)).map((arg) => arg.replace(/^\.\//, '').replace(/\/+$/, '')),
  };
}

const TEST_FILE = /^(packages\/[^/]+\/src|lab|tools)\/.*\.test\.ts$/;

export function selectTests(files: readonly string[], prefixes: readonly string[]): string[] {
  const isBelow = (file: string) => (prefix: string) => file === prefix || file.startsWith(`${prefix}/`);
  return files.filter(
    (file) => TEST_FILE.test(file) && (prefixes.length === 0 || prefixes.some(isBelow(file))),
  );
}
