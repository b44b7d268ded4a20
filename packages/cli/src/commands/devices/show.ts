import type { Client } from '@granary/client';
import type { FleetAlert, FleetDevice } from '@granary/contract/fleet';
import type { OperationRecord } from '@granary/contract/operations';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import type { Command } from 'commander';
import { findDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Environment } from '../../frame/environment.ts';
import { withAccess, withExamples } from '../../frame/options.ts';
import { age, duration } from '../../frame/times.ts';
import { type Field, outputOf } from '../../terminal/output.ts';
import { messageText, statusText, type WithStatus } from '../../terminal/sentences.ts';
import { NO_READING, readingText } from './device-texts.ts';

const JOBS_MAX = 20;

type Job = Pick<OperationRecord, 'ended_at'> & WithStatus & { readonly status: string };

export function defineShow(command: Command, environment: Environment): void {
  command
    .argument('<device_id>')
    .description('Shows a device: its newest values, what runs on it, and its open alerts.');
  withExamples(command, 'granary device show silo-01', 'granary device show rover-01 --json');
  withAccess(command).action(async (deviceId: string, values: AccessValues) => {
    const client = accessClient(values, environment.env);
    const device = await findDevice(client, deviceId);
    const { group } = device;
    const [detail, alerts, jobs] = await Promise.all([
      client.devices[group].get(deviceId),
      Array.fromAsync(client.fleet.alertsAll({ device_id: deviceId })),
      jobsOf(client, device),
    ]);
    const output = outputOf(environment, values.json);
    const value = { ...detail, group, readings: device.readings ?? {}, jobs, open_alerts: alerts };
    output.one(value, () => output.fields(fieldsOf(device, detail, jobs, alerts)));
  });
}

/** What has begun or is due on the device, and has not ended. */
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

function fieldsOf(
  device: FleetDevice,
  detail: Detail,
  jobs: readonly Job[],
  alerts: readonly FleetAlert[],
): Field[] {
  const { device_id, name, model, status, location, last_seen, readings = {}, profile } = device;
  const stop = 'emergency_stop' in detail ? detail.emergency_stop : undefined;
  return [
    ['device', device_id],
    ['name', name],
    ['model', [model, detail.firmware_version].filter((text) => text !== '').join(', firmware ')],
    ['profile', profile],
    ['location', `${location.facility}, ${location.zone}`],
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
    ...jobs.map((job): Field => ['under way', `${job.status}: ${statusText(job)}`]),
    ...alerts.map(
      (alert): Field => [
        'alert',
        `${alert.severity}, ${alert.status}: ${messageText(alert)} (${alert.alert_id})`,
      ],
    ),
  ];
}

/** A clock that is right is not mentioned. */
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
