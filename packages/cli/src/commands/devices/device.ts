import type { Command } from 'commander';
import { asActor } from '../../access/actor.ts';
import { findDevice, findRemovedDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import { confirm } from '../../frame/ask.ts';
import type { Define, Environment } from '../../frame/environment.ts';
import { UsageError } from '../../frame/failures.ts';
import { given, positiveNumber, withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../terminal/output.ts';
import { credentialsText, defineAdd } from './add.ts';
import { readingText } from './device-texts.ts';
import { defineLink, defineRejections } from './link.ts';
import { defineShow } from './show.ts';

const INTERVAL_DEFAULT_S = 5;

interface WatchValues extends AccessValues {
  readonly interval: number;
  readonly count?: number;
}

export function defineWatch(command: Command, environment: Environment): void {
  command
    .argument('<device_id>')
    .description('Prints the newest values of a device again and again, until Ctrl+C.')
    .option('--interval <seconds>', 'time between two lines', positiveNumber, INTERVAL_DEFAULT_S)
    .option('--count <lines>', 'end after so many lines', positiveNumber);
  withExamples(
    command,
    'granary device watch silo-01',
    'granary device watch rover-01 --interval 1 --count 10 --json',
  );
  withAccess(command).action(
    async (deviceId: string, { interval, count = Number.POSITIVE_INFINITY, ...values }: WatchValues) => {
      const client = accessClient(values, environment.env);
      const output = outputOf(environment, values.json);
      for (let line = 1; line <= count; line++) {
        const { status, readings = {} } = await findDevice(client, deviceId);
        const at = new Date().toISOString();
        output.item({ at, device_id: deviceId, status, readings }, () => {
          const texts = Object.entries(readings).map(
            ([sensor, reading]) => `${sensor} ${readingText(reading)}`,
          );
          return [at.slice(11, 19), status, ...texts].join('  ');
        });
        if (line < count) await new Promise((resolve) => setTimeout(resolve, interval * 1_000));
      }
    },
  );
}

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

interface DeviceValues extends AccessValues {
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
  withAccess(command).action(async (deviceId: string, values: DeviceValues) => {
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
