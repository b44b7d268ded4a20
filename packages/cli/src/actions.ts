import { type Environment, UsageError } from './command.ts';

export type Action = (args: readonly string[], surroundings: Environment) => Promise<void>;

/** Commands such as `keys` do several things; the next word says which. */
export async function runAction(
  command: string,
  actions: Readonly<Record<string, Action>>,
  [name, ...args]: readonly string[],
  surroundings: Environment,
): Promise<number> {
  const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) {
    const known = Object.keys(actions).join(', ');
    throw new UsageError(`${[command, name].join(' ').trimEnd()}: say one of ${known}`);
  }
  await action(args, surroundings);
  return 0;
}
