import type { Command } from 'commander';
import { asActor } from '../../access/actor.ts';
import { findDevice, findRemovedDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import { confirm } from '../../frame/ask.ts';
import type { Define } from '../../frame/define.ts';
import type { Environment } from '../../frame/environment.ts';
import { UsageError } from '../../frame/failures.ts';
import { given, positiveNumber, withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';
import { credentialsText, defineAdd } from './add.ts';
import { defineLink, defineRejections } from './link.ts';
import { defineShow } from './show.ts';
import { defineWatch } from './watch.ts';

export const device: Define = (command, environment) => {
  command.description('Shows, registers, changes, removes and restores one device.');
  defineShow(command.command('show').summary('show a device'), environment);
  defineWatch(command.command('watch').summary('print its newest values again and again'), environment);
  defineLink(command.command('link').summary('show its MQTT connection'), environment);
  defineRejections(
    command.command('rejections').summary('list its messages that could not be used'),
    environment,
  );
  defineAdd(command.command('add').summary('register a device'), environment);
  defineEdit(command.command('edit').summary('change what is known of it'), environment);
  defineRemove(command.command('remove').summary('remove it, and keep its records'), environment);
  defineRestore(command.command('restore').summary('bring back one that was removed'), environment);
  withExamples(command, 'granary device show silo-01', 'granary device watch silo-01 --interval 2');
};

function defineRemove(command: Command, environment: Environment): void {
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

function defineRestore(command: Command, environment: Environment): void {
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

interface Values extends AccessValues {
  readonly name?: string;
  readonly model?: string;
  readonly firmware?: string;
  readonly facility?: string;
  readonly zone?: string;
  readonly capacity?: number;
}

function defineEdit(command: Command, environment: Environment): void {
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
