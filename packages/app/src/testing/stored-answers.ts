import { createHash } from 'node:crypto';
import type { DeviceGroup } from '@granary/contract/devices/groups';
import { PROFILES } from '@granary/contract/profiles/profiles';
import { CHANNEL_NAMES } from '@granary/contract/telemetry/channels';
import { INTERVALS } from '@granary/contract/telemetry/telemetry';
import { DAY_MS } from '@granary/contract/time';
import { alertRecord } from '@granary/core/alerts/record';
import { commandRecord } from '@granary/core/commands/record';
import { deviceStatus } from '@granary/core/devices/status';
import { keyRecord } from '@granary/core/keys';
import { missionRecord } from '@granary/core/missions/record';
import { operationRecord } from '@granary/core/operations/record';
import { hasCapability } from '@granary/core/profiles/capabilities';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import type { Reading } from '@granary/core/telemetry/readings';
import { namedValue } from '@granary/core/testing/readings';
import type { StoredDevice } from '@granary/store/tables/devices';
import type { App, StoreLocation } from '../app.ts';
import type { StoredConfiguration } from '../configuration/configuration.ts';
import { latestOf } from './fixtures.ts';
import { WRITTEN_AT_MS } from './old-databases.ts';
import { rawReadings } from './raw-readings.ts';

const LIMIT = 1_000_000;
const FROM_MS = WRITTEN_AT_MS - 45 * DAY_MS;
const TO_MS = WRITTEN_AT_MS + 3 * DAY_MS;

type Answer = readonly [subject: string, answer: unknown];

/** Every record that callers can read from a database, one line for each, in the form that callers see. */
export async function storedAnswers(app: App, location: StoreLocation): Promise<string> {
  const answers: Answer[] = [];
  for (const group of ['silo', 'field'] as const) {
    for (const device of await devicesOf(app, group)) answers.push(...(await answersOf(app, device)));
  }
  for (const key of await app.keys.list({ afterKeyId: null, limit: LIMIT })) {
    answers.push(['key', keyRecord(key)]);
  }
  for (const plant of await app.plants.list({ after: null, limit: LIMIT })) answers.push(['plant', plant]);
  const text = withAlertNumbers();
  const lines = answers.map(([subject, answer]) => `${subject} ${text(answer)}`);
  const readings = asOneRowPerTime(await rawReadings(location));
  const events = (await app.events.after({ sequence: 0, limit: LIMIT })).map(({ actor, ...event }) => {
    // Events of these versions have no actor.
    return actor === null ? event : { actor, ...event };
  });
  // Long lists are compared by their digest.
  lines.push(`raw readings ${readings.length} ${digest(text(readings))}`);
  lines.push(`events ${events.length} ${digest(text(events))}`);
  return `${lines.join('\n')}\n`;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Alert ids are random and differ between the fixtures of the two engines, so each is replaced by a number. */
function withAlertNumbers(): (value: unknown) => string {
  const numbers = new Map<string, number>();
  return (value) =>
    JSON.stringify(value).replace(/\bal_[0-9a-z]+/g, (id) => {
      numbers.set(id, numbers.get(id) ?? numbers.size + 1);
      return `al_${numbers.get(id)}`;
    });
}

const devicesOf = (app: App, group: DeviceGroup): Promise<StoredDevice[]> =>
  app.devices.list({ group, facilities: null, deviceIds: null, afterDeviceId: null, limit: LIMIT });

async function answersOf(app: App, device: StoredDevice): Promise<Answer[]> {
  const { deviceNo, deviceId, profile, name, model, firmwareVersion, facility, zone, capacityKg } = device;
  const status = deviceStatus(device.presence, WRITTEN_AT_MS);
  const { lastSeenAtMs } = device.presence;
  const shown = { name, model, firmwareVersion, facility, zone, capacityKg, status, lastSeenAtMs };
  const page = { deviceNo, status: null, limit: LIMIT };
  const jobs = hasCapability(profile, 'operations')
    ? operationsOf(app, page)
    : commandsAndMissionsOf(app, page);
  const alerts = await app.alerts.list({ deviceNo, filter: 'all', beforeAlertId: null, limit: LIMIT });
  const track = await app.telemetry.track({ deviceNo, fromMs: FROM_MS, toMs: TO_MS, limit: LIMIT });
  return [
    [`device ${deviceId}`, shown],
    [`rejections ${deviceId}`, await app.devices.rejections(deviceNo)],
    [`configuration ${deviceId}`, withoutRules(await app.configuration.get(deviceNo))],
    [`latest ${deviceId}`, await latestOf(app, deviceNo)],
    ...(await historyOf(app, device)),
    [`track ${deviceId}`, track],
    ...(await jobs).map((job): Answer => [`job ${deviceId}`, job]),
    ...alerts.map((alert): Answer => [`alert ${deviceId}`, withoutAbsent(alertRecord(alert) ?? {})]),
  ];
}

async function historyOf(app: App, { deviceNo, deviceId, profile }: StoredDevice): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const channel of PROFILES[profile].channels) {
    for (const interval of INTERVALS) {
      const range = {
        deviceNo,
        lane: STANDARD_SENSORS[channel].lane,
        interval,
        fromMs: FROM_MS,
        toMs: TO_MS,
      };
      answers.push([`history ${deviceId} ${channel} ${interval}`, await app.telemetry.history(range)]);
    }
  }
  return answers;
}

/** Version 11 added the rules, of which an old database has none. */
function withoutRules(stored: StoredConfiguration | undefined): object | undefined {
  if (stored === undefined) return undefined;
  const { rules, ...configuration } = stored.configuration;
  return { ...stored, configuration: rules.length === 0 ? configuration : stored.configuration };
}

interface Page {
  readonly deviceNo: number;
  readonly status: null;
  readonly limit: number;
}

async function operationsOf(app: App, page: Page): Promise<object[]> {
  const operations = await app.operations.list({ ...page, type: null, beforeOperationId: null });
  return operations.map((operation) => withoutDetail(operationRecord(operation)));
}

async function commandsAndMissionsOf(app: App, page: Page): Promise<object[]> {
  const commands = await app.commands.list({ ...page, command: null, beforeCommandId: null });
  const missions = await app.missions.list({ ...page, beforeMissionId: null });
  return [...commands.map(commandRecord), ...missions.map(missionRecord)].map(withoutDetail);
}

interface JobRecord {
  readonly status_detail: string;
}

const ABSENT_IN_OLD_DATABASES = [
  ...['declared', 'requested_by', 'stopped_by', 'cancelled_by', 'acknowledged_with', 'shelved_with'],
];

/** Old databases have no declared ends and no actors. */
const withoutAbsent = (record: object): object =>
  Object.fromEntries(
    Object.entries(record).filter(
      ([name, value]) => value !== null || !ABSENT_IN_OLD_DATABASES.includes(name),
    ),
  );

/** The sentence for people is computed from the other fields with every answer. */
const withoutDetail = ({ status_detail: _, ...record }: JobRecord): object => withoutAbsent(record);

/** Raw readings in the form in which they were recorded, when a row had a column for every sensor. */
function asOneRowPerTime(readings: readonly Reading[]): object[] {
  const rows = Map.groupBy(readings, ({ tsMs, deviceNo }) => `${tsMs} ${deviceNo}`);
  return [...rows.values()].map((groups) => {
    const found = CHANNEL_NAMES.flatMap((name) =>
      groups.flatMap((reading) => {
        const value = namedValue(reading, name);
        return value === undefined ? [] : [{ name, ...value }];
      }),
    );
    const valuesOf = (isBad: boolean) =>
      Object.fromEntries(found.filter((one) => one.isBad === isBad).map(({ name, value }) => [name, value]));
    const { deviceNo, tsMs } = groups[0] ?? {};
    const row = { deviceNo, tsMs, values: valuesOf(false) };
    return found.some(({ isBad }) => isBad) ? { ...row, badValues: valuesOf(true) } : row;
  });
}
