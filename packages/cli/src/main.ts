import { type Command, type Environment, UsageError } from './command.ts';
import { explain } from './explain.ts';
import { readVersion } from './version.ts';

interface Entry {
  readonly summary: string;
  /** Commands are loaded when they run, so that listing keys does not load a database. */
  readonly load: () => Promise<Command>;
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  serve: {
    summary: 'start the service',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  demo: {
    summary: 'start the service with a simulated farm',
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  simulate: {
    summary: 'run the simulated farm against a running service',
    load: async () => (await import('./commands/simulate.ts')).simulate,
  },
  backup: {
    summary: 'copy the database into a file, also while the service runs',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  restore: {
    summary: 'make a backup the database again',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  devices: {
    summary: 'list and register devices',
    load: async () => (await import('./commands/devices.ts')).devices,
  },
  keys: {
    summary: 'list, create, revoke and rotate API keys',
    load: async () => (await import('./commands/keys.ts')).keys,
  },
};

const HELP = `granary: device monitoring and control for farms and plants

Usage: granary <command> [options]

Commands:
${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join('\n')}

  granary <command> --help   says more about one of them
  granary --version          says which version this is`;

const isHelp = (arg: string | undefined): boolean => arg === '--help' || arg === '-h';

/** Runs one command line and returns the exit code. */
export async function main(args: readonly string[], environment: Environment): Promise<number> {
  try {
    return await dispatch(args, environment);
  } catch (failure) {
    const { lines, exitCode } = explain(failure, environment.env['GRANARY_LOG_LEVEL'] === 'debug');
    for (const line of lines) environment.printError(line);
    return exitCode;
  }
}

async function dispatch([name, ...args]: readonly string[], environment: Environment): Promise<number> {
  if (name === undefined) throw new UsageError('which command? try granary --help');
  if (isHelp(name)) {
    environment.print(HELP);
    return 0;
  }
  if (name === '--version') {
    environment.print(await readVersion());
    return 0;
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined) throw new UsageError(`there is no command "${name}"; try granary --help`);
  const command = await entry.load();
  if (args.some(isHelp)) {
    environment.print(command.help);
    return 0;
  }
  return command.run(args, environment);
}
