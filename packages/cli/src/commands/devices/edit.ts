import type { Command } from 'commander';
import { asActor } from '../../access/actor.ts';
import { findDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Environment } from '../../frame/environment.ts';
import { UsageError } from '../../frame/failures.ts';
import { given, positiveNumber, withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';

interface Values extends AccessValues {
  readonly name?: string;
  readonly model?: string;
  readonly firmware?: string;
  readonly facility?: string;
  readonly zone?: string;
  readonly capacity?: number;
}

export function defineEdit(command: Command, environment: Environment): void {
  command
    .argument('<device_id>')
    .description('Changes what is known of a device; what is not given stays as it is.')
    .option('--name <text>', 'its name')
    .option('--model <text>', 'its model')
    .option('--firmware <text>', "the firmware's version")
    .option('--facility <name>', 'the facility where it is')
    .option('--zone <name>', 'the zone of the facility')
    .option('--capacity <kg>', 'how much a silo can hold', positiveNumber);
  withExamples(command, 'granary device edit silo-01 --name "Barley 2026" --zone "yard 2"');
  withAccess(command).action(async (deviceId: string, values: Values) => {
    const { env } = environment;
    const { name, model, firmware, capacity } = values;
    const location = given({ facility: values.facility, zone: values.zone });
    const patch = {
      ...given({ name, model, firmware_version: firmware }),
      ...(Object.keys(location).length === 0 ? {} : { location }),
      ...(capacity === undefined ? {} : { capacity: { max: capacity, unit: 'kg' as const } }),
    };
    if (Object.keys(patch).length === 0)
      throw new UsageError('there is nothing to change', { cure: 'Name a field, such as --name.' });
    const client = accessClient(values, env);
    const { group } = await findDevice(client, deviceId);
    // Each group refuses a field that its devices do not have.
    const changed = await client.devices[group].update(deviceId, patch, asActor(env));
    outputOf(environment, values.json).one(
      changed,
      () => `${deviceId} is changed: ${Object.keys(patch).join(', ')}.`,
    );
  });
}
