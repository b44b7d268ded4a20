import { createHash } from 'node:crypto';
import type { App, StoreLocation } from '@granary/app/app';
import type { StoredDevice } from '@granary/app/device-rows';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import { PROFILES } from '@granary/contract/profiles/profiles';
import { INTERVALS } from '@granary/contract/telemetry/telemetry';
import { DAY_MS } from '@granary/contract/time';
import { alertRecord } from '@granary/core/alerts/record';
import { commandRecord } from '@granary/core/commands/record';
import { deviceStatus } from '@granary/core/devices/status';
import { keyRecord, UNLIMITED } from '@granary/core/keys';
import { missionRecord } from '@granary/core/missions/record';
import { operationRecord } from '@granary/core/operations/record';
import { hasCapability } from '@granary/core/profiles/profile';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import { latestOf, NOW_MS } from './fixtures.ts';
import { rawReadings } from './raw-readings.ts';

const LIMIT = 1_000_000;
const FROM_MS = NOW_MS - 45 * DAY_MS;
const TO_MS = NOW_MS + 3 * DAY_MS;

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
  const lines = answers.map(([subject, answer]) => `${subject} ${JSON.stringify(answer)}`);
  const readings = await rawReadings(location);
  const events = await app.events.after({ sequence: 0, limit: LIMIT });
  // Long lists are compared by their digest.
  lines.push(`raw readings ${readings.length} ${digest(JSON.stringify(readings))}`);
  lines.push(`events ${events.length} ${digest(JSON.stringify(events))}`);
  return `${lines.join('\n')}\n`;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const devicesOf = (app: App, group: DeviceGroup): Promise<StoredDevice[]> =>
  app.devices.list({ group, limits: UNLIMITED, afterDeviceId: null, limit: LIMIT });

async function answersOf(app: App, device: StoredDevice): Promise<Answer[]> {
  const { deviceNo, deviceId, profile, name, model, firmwareVersion, facility, zone, capacityKg } = device;
  const status = deviceStatus(device.presence, NOW_MS);
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
    [`configuration ${deviceId}`, await app.configuration.get(deviceNo)],
    [`latest ${deviceId}`, await latestOf(app, deviceNo)],
    ...(await historyOf(app, device)),
    [`track ${deviceId}`, track],
    ...(await jobs).map((job): Answer => [`job ${deviceId}`, job]),
    ...alerts.map((alert): Answer => [`alert ${deviceId}`, alertRecord(alert)]),
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

interface Page {
  readonly deviceNo: number;
  readonly status: null;
  readonly limit: number;
}

async function operationsOf(app: App, page: Page): Promise<object[]> {
  const operations = await app.operations.list({ ...page, type: null, beforeOperationId: null });
  return operations.map(operationRecord);
}

async function commandsAndMissionsOf(app: App, page: Page): Promise<object[]> {
  const commands = await app.commands.list({ ...page, command: null, beforeCommandId: null });
  const missions = await app.missions.list({ ...page, beforeMissionId: null });
  return [...commands.map(commandRecord), ...missions.map(missionRecord)];
}
