import assert from 'node:assert/strict';
import { type TSchema, Type } from 'typebox';
import { Alert } from '../alerts.ts';
import { CommandRecord } from '../commands.ts';
import { FieldConfiguration } from '../configuration/field-configuration.ts';
import { SiloConfiguration } from '../configuration/silo-configuration.ts';
import { DeviceCredentials, DeviceSummary, FieldDetail, Rejections, SiloDetail } from '../devices.ts';
import { ERROR_CODES } from '../errors.ts';
import { type Checker, checker, closed } from '../input/schema.ts';
import { IssuedKey, KeyRecord } from '../keys.ts';
import { LinkStatus } from '../link/link-status.ts';
import { MissionRecord } from '../missions.ts';
import { OperationRecord, OperationStarted } from '../operations.ts';
import { EnvironmentalReading, FieldHistory, LocationReading, Track } from '../telemetry/field-readings.ts';
import { CurrentReadings, SensorHistory, TelemetryReceipt } from '../telemetry/telemetry.ts';

const one = (data: TSchema): TSchema => closed({ success: Type.Literal(true), data });

const pageOf = (item: TSchema): TSchema =>
  closed({
    success: Type.Literal(true),
    data: Type.Array(item),
    page: closed({ next_cursor: Type.Union([Type.String(), Type.Null()]) }),
  });

const ErrorAnswer = closed({
  success: Type.Literal(false),
  error: closed({
    code: Type.Enum([...ERROR_CODES]),
    message: Type.String({ minLength: 1 }),
    details: Type.Optional(
      Type.Array(closed({ path: Type.String(), message: Type.String({ minLength: 1 }) })),
    ),
    request_id: Type.String({ minLength: 1 }),
  }),
});

type Endpoint = readonly [methodAndPath: string, answer: TSchema];

const ofEveryGroup = (detail: typeof SiloDetail | typeof FieldDetail, configuration: TSchema): Endpoint[] => [
  ['GET /devices', pageOf(DeviceSummary)],
  ['POST /devices', one(closed({ ...detail.properties, credentials: DeviceCredentials }))],
  ['GET /devices/:id', one(detail)],
  ['POST /devices/:id/credentials', one(DeviceCredentials)],
  ['GET /devices/:id/rejections', one(Rejections)],
  ['GET /devices/:id/link', one(LinkStatus)],
  ['POST /devices/:id/telemetry', one(TelemetryReceipt)],
  ['GET /devices/:id/alerts', pageOf(Alert)],
  ['GET /devices/:id/alerts/:id', one(Alert)],
  ['POST /devices/:id/alerts/:id/acknowledge', one(Alert)],
  ['POST /devices/:id/alerts/:id/shelve', one(Alert)],
  ['POST /devices/:id/alerts/:id/unshelve', one(Alert)],
  ['GET /devices/:id/config', one(configuration)],
  ['PUT /devices/:id/config', one(configuration)],
];

const GROUPS: Readonly<Record<string, readonly Endpoint[]>> = {
  '/v1/siloscale': [
    ...ofEveryGroup(SiloDetail, SiloConfiguration),
    ['GET /devices/:id/sensors', one(CurrentReadings)],
    ['GET /devices/:id/sensors/history', one(SensorHistory)],
    ['POST /devices/:id/operations/feed', one(OperationStarted)],
    ['POST /devices/:id/operations/discharge', one(OperationStarted)],
    ['GET /devices/:id/operations', pageOf(OperationRecord)],
    ['GET /devices/:id/operations/:id', one(OperationRecord)],
    ['POST /devices/:id/operations/:id/stop', one(OperationRecord)],
  ],
  '/v1/fielddevice': [
    ...ofEveryGroup(FieldDetail, FieldConfiguration),
    ['GET /devices/:id/location', one(LocationReading)],
    ['GET /devices/:id/sensors/environmental', one(EnvironmentalReading)],
    ['GET /devices/:id/sensors/history', one(FieldHistory)],
    ['GET /devices/:id/track', one(Track)],
    ['POST /devices/:id/remote/command', one(CommandRecord)],
    ['GET /devices/:id/remote/commands', pageOf(CommandRecord)],
    ['GET /devices/:id/remote/commands/:id', one(CommandRecord)],
    ['POST /devices/:id/missions', one(MissionRecord)],
    ['GET /devices/:id/missions', pageOf(MissionRecord)],
    ['GET /devices/:id/missions/:id', one(MissionRecord)],
    ['POST /devices/:id/missions/:id/pause', one(MissionRecord)],
    ['POST /devices/:id/missions/:id/resume', one(MissionRecord)],
    ['POST /devices/:id/missions/:id/cancel', one(MissionRecord)],
  ],
  '/v1': [
    ['GET /keys', pageOf(KeyRecord)],
    ['POST /keys', one(IssuedKey)],
    ['DELETE /keys/:id', one(KeyRecord)],
    ['POST /keys/:id/rotate', one(IssuedKey)],
  ],
};

interface CheckedEndpoint {
  readonly pattern: RegExp;
  readonly check: Checker<unknown>;
}

const ENDPOINTS: readonly CheckedEndpoint[] = Object.entries(GROUPS).flatMap(([root, endpoints]) =>
  endpoints.map(([methodAndPath, answer]) => ({
    pattern: new RegExp(`^${methodAndPath.replace(' ', ` ${root}`).replaceAll(':id', '[^/]+')}$`),
    check: checker(answer),
  })),
);

const checkErrorAnswer = checker(ErrorAnswer);
const IN_THE_GROUPS = /^\/v1\/(siloscale|fielddevice|keys)(\/|\?|$)/;

/** Every answer that a test gets from the device groups or about keys has the shape that the contract promises. */
export function assertKeepsContract(method: string, path: string, status: number, body: unknown): void {
  if (!IN_THE_GROUPS.test(path)) return;
  const request = `${method} ${path.split('?', 1)[0]}`;
  const check =
    status === 200 ? ENDPOINTS.find(({ pattern }) => pattern.test(request))?.check : checkErrorAnswer;
  assert.ok(check !== undefined, `the contract has no answer for ${request}`);
  assert.deepEqual(check.faults(body), [], `the answer ${status} to ${request} is not as the contract says`);
}
