import { asActor, personName } from '../../access/actor.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Define } from '../../frame/define.ts';
import { EXIT } from '../../frame/exit-codes.ts';
import { CommandFailure, UsageError } from '../../frame/failures.ts';
import { given, withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';

interface Values extends AccessValues {
  readonly by?: string;
  readonly note?: string;
}

export const ack: Define = (command, environment) => {
  command
    .argument('<alert_id...>')
    .description('Acknowledges alerts: somebody has seen them. Repeating it changes nothing.')
    .option('--by <name>', 'who has seen them (GRANARY_ACTOR, or the name of the user)')
    .option('--note <text>', 'what is done about them');
  withExamples(
    command,
    'granary ack al_019a86c5f3c07b2a --note "A truck is on its way."',
    'granary alerts --json | jq -r ".[].alert_id" | xargs granary ack --by Ada',
  );
  withAccess(command).action(async (alertIds: readonly string[], values: Values) => {
    const { env } = environment;
    const person = values.by ?? personName(env);
    if (person === undefined)
      throw new UsageError('--by is missing', { cure: 'Say who has seen the alerts.' });
    const wanted = { alert_ids: [...alertIds], acknowledged_by: person, ...given({ note: values.note }) };
    const answer = await accessClient(values, env).fleet.acknowledgeAlerts(wanted, asActor(env));
    const lines = answer.results.map(({ alert_id, outcome }) => `${alert_id} ${outcome.replace('_', ' ')}`);
    outputOf(environment, values.json).one(answer, () => lines.join('\n'));
    if (answer.results.some(({ outcome }) => outcome === 'not_found')) {
      const cure = '`granary alerts --status all` lists all alerts.';
      throw new CommandFailure('some alerts were not found', { exitCode: EXIT.refused, cure });
    }
  });
};
