import { findDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient, asActor } from '../../access/service-access.ts';
import type { Define } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { given, withAccess, withExamples } from '../../program/options.ts';
import { durationMs, timestamp } from '../../program/times.ts';
import { outputOf } from '../../terminal/output.ts';

interface Values extends AccessValues {
  readonly reason: string;
  readonly for?: number;
  readonly until?: string;
}

export const maintenance: Define = (command, environment) => {
  command.description(
    'Begins and ends the maintenance of a device: nothing may move, and its silence raises no alert.',
  );
  const start = command
    .command('start')
    .summary('begin it')
    .argument('<device_id>')
    .requiredOption('--reason <text>', 'why')
    .option('--for <duration>', 'it ends by itself after 30m, 12h, 2d, …', durationMs)
    .option('--until <time>', 'it ends by itself then, ISO 8601', timestamp);
  withExamples(start, 'granary maintenance start silo-01 --reason "new gate motor" --for 4h');
  withAccess(start).action(async (deviceId: string, { reason, for: lasts, until, ...values }: Values) => {
    if (lasts !== undefined && until !== undefined)
      throw new UsageError('say --for or --until', { cure: 'One of them, or none.' });
    const end = lasts === undefined ? until : new Date(Date.now() + lasts).toISOString();
    const client = accessClient(values, environment.env);
    const { group } = await findDevice(client, deviceId);
    const wanted = { on: true, reason, ...given({ until: end }) };
    const device = await client.devices[group].maintenance(deviceId, wanted, asActor(environment.env));
    outputOf(environment, values.json).one(
      device,
      () => `${deviceId} is in maintenance ${end === undefined ? 'until somebody ends it' : `until ${end}`}.`,
    );
  });
  const end = command.command('end').summary('end it').argument('<device_id>');
  withExamples(end, 'granary maintenance end silo-01');
  withAccess(end).action(async (deviceId: string, values: AccessValues) => {
    const client = accessClient(values, environment.env);
    const { group } = await findDevice(client, deviceId);
    const device = await client.devices[group].maintenance(deviceId, { on: false }, asActor(environment.env));
    outputOf(environment, values.json).one(device, () => `${deviceId} is not in maintenance any more.`);
  });
  withExamples(
    command,
    'granary maintenance start silo-01 --reason "new gate motor" --for 4h',
    'granary maintenance end silo-01',
  );
};
