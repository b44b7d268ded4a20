import { type AccessValues, accessClient } from '../../access/service-access.ts';
import { confirm } from '../../frame/ask.ts';
import type { Define } from '../../frame/define.ts';
import { withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';
import { giveCommand } from './field-command.ts';
import { type WaitValues, withWaiting } from './waiting.ts';

type Values = AccessValues & WaitValues & { readonly yes?: boolean };

export const release: Define = (command, environment) => {
  command
    .argument('<device_id>')
    .description('Releases the emergency stop of a field device. It may move again at the next command.')
    .option('-y, --yes', 'do not ask');
  withExamples(command, 'granary release rover-01', 'granary release rover-01 --yes --no-wait');
  withAccess(withWaiting(command, 'until the device has confirmed it')).action(
    async (deviceId: string, values: Values) => {
      await confirm(`Has somebody looked at ${deviceId}, and may it move again?`, values.yes, environment);
      const client = accessClient(values, environment.env);
      const output = outputOf(environment, values.json);
      const request = { command: 'release_emergency_stop' } as const;
      await giveCommand(client, deviceId, request, environment, output, values);
    },
  );
};
