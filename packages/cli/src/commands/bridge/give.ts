import { type AccessValues, accessClient, asActor } from '../../access/service-access.ts';
import type { Define } from '../../program/environment.ts';
import { withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';

interface GiveValues extends AccessValues {
  readonly key: string;
}

export const give: Define = (command, environment) => {
  command
    .description(
      'Gives a bridge to a key with the scope ingest, for example when its own key has ended. From then on no other key reports for it.',
    )
    .argument('<bridge_id>')
    .requiredOption('--key <key_id>', 'the id of the key, which is not the key itself');
  withAccess(command).action(async (bridgeId: string, values: GiveValues) => {
    const { env } = environment;
    const given = await accessClient(values, env).bridges.give(
      bridgeId,
      { key_id: values.key },
      asActor(env),
    );
    const text = () => `${given.bridge_id} belongs to ${given.key_id} (${given.name}).`;
    outputOf(environment, values.json).one(given, text);
  });
  withExamples(command, 'granary bridge give farm-north --key key_0f3c');
};
