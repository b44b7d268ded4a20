import { type Environment, UsageError } from './command.ts';

export type Action = (args: readonly string[], environment: Environment) => Promise<void>;

/** Commands such as `keys` have several actions; the next argument selects one. */
export async function runAction(
  command: string,
  actions: Readonly<Record<string, Action>>,
  [name, ...args]: readonly string[],
  environment: Environment,
): Promise<number> {
  const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) {
    const known = Object.keys(actions).join(', ');
    throw new UsageError(`${[command, name].join(' ').trimEnd()}: say one of ${known}`);
  }
  await action(args, environment);
  return 0;
}
