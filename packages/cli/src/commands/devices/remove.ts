import type { Command } from 'commander';
import { asActor } from '../../access/actor.ts';
import { findDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import { confirm } from '../../frame/ask.ts';
import type { Environment } from '../../frame/environment.ts';
import { withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';

export function defineRemove(command: Command, environment: Environment): void {
  command
    .argument('<device_id>')
    .description(
      'Removes a device on which nothing runs. Its connection is closed; its history and its records are kept, and "granary device restore" brings it back.',
    )
    .option('-y, --yes', 'do not ask');
  withExamples(command, 'granary device remove silo-20 --yes');
  withAccess(command).action(async (deviceId: string, values: AccessValues & { readonly yes?: boolean }) => {
    const { env } = environment;
    const client = accessClient(values, env);
    const { group, name } = await findDevice(client, deviceId);
    await confirm(
      `Remove ${deviceId} (${name})? It can be brought back with "granary device restore ${deviceId}".`,
      values.yes,
      environment,
    );
    const removed = await client.devices[group].remove(deviceId, {}, asActor(env));
    outputOf(environment, values.json).one(
      removed,
      () =>
        `${deviceId} is removed; its records are kept, and "granary device restore ${deviceId}" brings it back.`,
    );
  });
}
