import type { Command } from 'commander';
import { asActor } from '../../access/actor.ts';
import { findRemovedDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Environment } from '../../frame/environment.ts';
import { withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';
import { credentialsText } from './add.ts';

export function defineRestore(command: Command, environment: Environment): void {
  command
    .argument('<device_id>')
    .description(
      'Brings a removed device back with its history and its records, and shows its new secret for the device link this once.',
    );
  withExamples(command, 'granary devices --removed', 'granary device restore silo-20');
  withAccess(command).action(async (deviceId: string, values: AccessValues) => {
    const client = accessClient(values, environment.env);
    const { group } = await findRemovedDevice(client, deviceId);
    const restored = await client.devices[group].restore(deviceId, asActor(environment.env));
    const text = () => `${deviceId} is back with its records.\n\n${credentialsText(restored.credentials)}`;
    outputOf(environment, values.json).one(restored, text);
  });
}
