import type { Client } from '@granary/client';
import type { Rejections } from '@granary/contract/devices/devices';
import type { FleetAlert, FleetDevice } from '@granary/contract/fleet';
import type { LinkStatus } from '@granary/contract/link/link-status';
import type { OperationRecord } from '@granary/contract/operations';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import type { Command } from 'commander';
import { findDevice, findRemovedDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient, asActor } from '../../access/service-access.ts';
import { zonesOfFacilities } from '../../access/site-zones.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { confirm } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { collect, given, positiveNumber, withAccess, withExamples } from '../../program/options.ts';
import { age, duration } from '../../program/times.ts';
import { type Field, outputOf } from '../../terminal/output.ts';
import { messageText, statusText, type WithStatus } from '../../terminal/sentences.ts';
import type { Column } from '../../terminal/table.ts';
import { credentialsText, defineAdd } from './add.ts';
import { labelOf } from './bulk.ts';
import { NO_READING, readingText } from './device-texts.ts';

const JOBS_MAX = 20;

type Job = Pick<OperationRecord, 'ended_at'> & WithStatus & { readonly status: string };

function defineShow(command: Command, environment: Environment): void {
  command
    .argument('<device_id>')
    .description('Shows a device: its newest values, what runs on it, and its open alerts.');
  withExamples(command, 'granary device show silo-01', 'granary device show rover-01 --json');
  withAccess(command).action(async (deviceId: string, values: AccessValues) => {
    const client = accessClient(values, environment.env);
    const device = await findDevice(client, deviceId);
    const { group } = device;
    const [detail, alerts, jobs, zoneOf] = await Promise.all([
      client.devices[group].get(deviceId),
      Array.fromAsync(client.fleet.alertsAll({ device_id: deviceId })),
      jobsOf(client, device),
      zonesOfFacilities(client),
    ]);
    const output = outputOf(environment, values.json);
    const value = { ...detail, group, readings: device.readings ?? {}, jobs, open_alerts: alerts };
    const timeZone = zoneOf(device.location.facility);
    output.one(value, () => output.fields(fieldsOf({ device, detail, jobs, alerts, timeZone })));
  });
}

/** The jobs of the device that have begun or are due, and have not ended. */
async function jobsOf(
  { operations, missions, commands }: Client,
  { device_id, group }: FleetDevice,
): Promise<Job[]> {
  const newest = { limit: JOBS_MAX };
  const lists: Readonly<Record<DeviceGroup, () => Promise<{ readonly data: readonly Job[] }>[]>> = {
    silo: () => [operations.list(device_id, newest)],
    field: () => [missions.list(device_id, newest), commands.list(device_id, newest)],
  };
  const pages = await Promise.all(lists[group]());
  return pages.flatMap(({ data }) => data).filter(({ ended_at }) => ended_at === null);
}

type Detail = Awaited<ReturnType<Client['devices']['silo' | 'field']['get']>>;

interface Shown {
  readonly device: FleetDevice;
  readonly detail: Detail;
  readonly jobs: readonly Job[];
  readonly alerts: readonly FleetAlert[];
  readonly timeZone: string;
}

function fieldsOf({ device, detail, jobs, alerts, timeZone }: Shown): Field[] {
  const { device_id, name, model, status, location, labels, last_seen, readings = {}, profile } = device;
  const stop = 'emergency_stop' in detail ? detail.emergency_stop : undefined;
  return [
    ['device', device_id],
    ['name', name],
    ['model', [model, detail.firmware_version].filter((text) => text !== '').join(', firmware ')],
    ['profile', profile],
    ['location', `${location.facility}, ${location.zone}`],
    [
      'labels',
      labels &&
        Object.entries(labels)
          .map((label) => label.join('='))
          .join(', '),
    ],
    ['status', `${status}, last seen ${age(last_seen)}`],
    ['capacity', 'capacity' in detail ? `${detail.capacity.max} ${detail.capacity.unit}` : null],
    ['maintenance', detail.maintenance === undefined ? null : maintenanceText(detail.maintenance)],
    [
      'emergency stop',
      stop?.active === true ? `in force, ${stop.confirmed ? 'confirmed' : 'NOT CONFIRMED'}` : null,
    ],
    ['clock', clockText(detail.clock_offset_s)],
    ['refused', detail.refused_readings === null ? null : refusedText(detail.refused_readings)],
    ['readings', Object.keys(readings).length === 0 ? NO_READING : null],
    ...Object.entries(readings).map(
      ([sensor, reading]): Field => [sensor, `${readingText(reading)}, ${age(reading.timestamp)}`],
    ),
    ...jobs.map((job): Field => ['under way', `${job.status}: ${statusText(job, timeZone)}`]),
    ...alerts.map(
      (alert): Field => [
        'alert',
        `${alert.severity}, ${alert.status}: ${messageText(alert, timeZone)} (${alert.alert_id})`,
      ],
    ),
  ];
}

/** The text about the clock of the device; `null` if the clock is right. */
const clockText = (offsetS: Detail['clock_offset_s']): string | null =>
  offsetS === null || offsetS === 0
    ? null
    : `${duration(Math.abs(offsetS) * 1_000)} ${offsetS > 0 ? 'ahead' : 'behind'}`;

const refusedText = ({ messages, since, taken, message }: NonNullable<Detail['refused_readings']>): string =>
  `${taken === 'none' ? 'all' : 'some'} readings of the last ${messages === 1 ? 'message' : `${messages} messages`}, the first ${age(since)}: ${message}`;

const maintenanceText = ({ reason, until }: NonNullable<Detail['maintenance']>): string =>
  [reason ?? 'declared', until === null || until === undefined ? null : `until ${until}`]
    .filter((text) => text !== null)
    .join(', ');

function defineLink(command: Command, environment: Environment): void {
  command
    .argument('<device_id>')
    .description('Shows the MQTT connection of a device, with counts since the start of the service.');
  withExamples(command, 'granary device link silo-01');
  withAccess(command).action(async (deviceId: string, values: AccessValues) => {
    const client = accessClient(values, environment.env);
    const { group } = await findDevice(client, deviceId);
    const link = await client.devices[group].link(deviceId);
    const output = outputOf(environment, values.json);
    output.one(link, () => output.fields(linkFields(link)));
  });
}

function linkFields(link: LinkStatus): Field[] {
  const { connected_since, remote_address, session, refused_logins, last_fault, last_disconnect } = link;
  const since = connected_since === null ? '' : `, since ${connected_since}`;
  const from = remote_address === null ? '' : `, from ${remote_address}`;
  return [
    ['connected', link.connected ? `yes${since}${from}` : 'no'],
    ['session', session],
    ['commands', link.subscribed ? 'subscribed' : 'NOT SUBSCRIBED: it cannot receive commands'],
    ['connects', `${link.connects}, of which ${link.takeovers} took over from another connection`],
    [
      'messages',
      `${link.messages.in} in, ${link.messages.out} out, ${link.messages.unacknowledged} not acknowledged`,
    ],
    ['not sent', `${link.dropped.expired} expired, ${link.dropped.not_connected} without a connection`],
    [
      'refused logins',
      `${refused_logins.total}${refused_logins.last === null ? '' : `, last ${age(refused_logins.last.at)}: ${refused_logins.last.reason}`}`,
    ],
    ['not usable', `${link.rejections.total} messages (granary device rejections)`],
    ['last fault', last_fault === null ? null : `${age(last_fault.at)}: ${last_fault.message}`],
    ['last end', last_disconnect === null ? null : `${age(last_disconnect.at)}: ${last_disconnect.message}`],
  ];
}

const COLUMNS: readonly Column<Rejections['recent'][number]>[] = [
  { title: 'RECEIVED', text: ({ received_at }) => received_at },
  { title: 'TOPIC', text: ({ topic }) => topic },
  { title: 'WHY', text: ({ reason }) => reason },
  { title: 'MESSAGE', text: ({ payload }) => payload },
];

function defineRejections(command: Command, environment: Environment): void {
  command
    .argument('<device_id>')
    .description('Lists the last messages of a device that could not be used, and why.');
  withExamples(command, 'granary device rejections silo-01', 'granary device rejections silo-01 --json');
  withAccess(command).action(async (deviceId: string, values: AccessValues) => {
    const client = accessClient(values, environment.env);
    const { group } = await findDevice(client, deviceId);
    const rejections = await client.devices[group].rejections(deviceId);
    const output = outputOf(environment, values.json);
    if (output.isJson) return output.one(rejections, () => '');
    output.list(COLUMNS, rejections.recent, 'All its messages could be used.');
  });
}

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
  readonly label?: readonly string[];
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
    .option('--capacity <kg>', 'how much a silo can hold', positiveNumber)
    .option('--label <name=value>', 'a label; without a value it is removed; may be repeated', collect);
  withExamples(command, 'granary device edit silo-01 --name "Barley 2026" --zone "yard 2"');
  withAccess(command).action(async (deviceId: string, values: DeviceValues) => {
    const { env } = environment;
    const { name, model, firmware, capacity, label } = values;
    const location = given({ facility: values.facility, zone: values.zone });
    const patch = {
      ...given({ name, model, firmware_version: firmware }),
      ...(Object.keys(location).length === 0 ? {} : { location }),
      ...(capacity === undefined ? {} : { capacity: { max: capacity, unit: 'kg' as const } }),
      ...(label === undefined ? {} : { labels: Object.fromEntries(label.map(labelOf)) }),
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
