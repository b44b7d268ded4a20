import type { CallOptions, Client } from '@granary/client';
import type { EndDeclaration } from '@granary/contract/declared-end';
import type { Command } from 'commander';
import { type AccessValues, accessClient, asActor, personName } from '../../access/service-access.ts';
import type { Environment } from '../../program/environment.ts';
import { confirm } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import { statusText, type WithStatus } from '../../terminal/sentences.ts';

interface Values extends AccessValues {
  readonly reason: string;
  readonly lookedBy?: string;
  readonly yes?: boolean;
}

interface Declared extends WithStatus {
  readonly status: string;
}

type Declare = (
  client: Client,
  deviceId: string,
  id: string,
  declaration: EndDeclaration,
  options: CallOptions,
) => Promise<Declared>;

const GROUPS = { operation: 'operations', mission: 'missions', command: 'command' } as const;

/** Declares the end of a job whose device does not report it, after a person has looked. This needs the scope `admin`. */
export function defineDeclareEnded(
  command: Command,
  kind: keyof typeof GROUPS,
  environment: Environment,
  declare: Declare,
): void {
  command
    .argument('<device_id>')
    .argument(`<${kind}_id>`)
    .description(
      `Records that a person has looked at the device and that the ${kind} does not run any more, although the device did not report its end. It stops nothing. It takes a key with the scope admin.`,
    )
    .requiredOption('--reason <text>', 'what was found')
    .option('--looked-by <name>', 'who has looked (GRANARY_ACTOR, or the name of the user)')
    .option('-y, --yes', 'do not ask');
  withExamples(
    command,
    `granary ${GROUPS[kind]} declare-ended silo-01 id_019a86c5f3c0 --reason "the controller was replaced" --looked-by Ada`,
  );
  withAccess(command).action(async (deviceId: string, id: string, values: Values) => {
    const { env } = environment;
    const person = values.lookedBy ?? personName(env);
    if (person === undefined)
      throw new UsageError('--looked-by is missing', { cure: 'Say who has looked at the device.' });
    await confirm(`Has ${person} looked at ${deviceId}, and nothing moves?`, values.yes, environment);
    const declaration = { reason: values.reason, looked_by: person };
    const record = await declare(accessClient(values, env), deviceId, id, declaration, asActor(env));
    outputOf(environment, values.json).one(record, () => `${id} ${record.status}: ${statusText(record)}`);
  });
}
