import { asActor } from '../../access/actor.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import { confirm } from '../../frame/ask.ts';
import type { Define } from '../../frame/define.ts';
import { withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';

export const release: Define = (command, environment) => {
  command
    .argument('<device_id>')
    .description('Releases the emergency stop of a field device. It may move again at the next command.')
    .option('-y, --yes', 'do not ask');
  withExamples(command, 'granary release rover-01');
  withAccess(command).action(async (deviceId: string, values: AccessValues & { readonly yes?: boolean }) => {
    const { env } = environment;
    await confirm(`Has somebody looked at ${deviceId}, and may it move again?`, values.yes, environment);
    const wanted = { command: 'release_emergency_stop' } as const;
    const record = await accessClient(values, env).commands.give(deviceId, wanted, asActor(env));
    outputOf(environment, values.json).one(
      record,
      () => `${record.command_id} ${record.status}: ${record.status_detail}`,
    );
  });
};
