import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { ALERT_FILTERS, ALERT_SEVERITIES, type AlertFilter } from '@granary/contract/alerts';
import { OPERATION_STATUSES } from '@granary/contract/operations';
import type { AlertState } from '@granary/core/alerts/lifecycle';
import { describeEachEngine } from '@granary/testing/app/engines';
import { newDevice } from '@granary/testing/app/fixtures';
import { ALL_DEVICES, alertState, insertAlerts, insertOperations } from '@granary/testing/app/fleet-rows';
import fc from 'fast-check';
import type { App } from '../app.ts';
import type { DeviceSelection } from '../conditions.ts';

const FACILITIES = ['North', 'South', 'East'] as const;
const ZONES = ['A', 'B'] as const;
const TYPES = ['low_level', 'device_offline', 'sensor_fault'] as const;
const STATUSES = ['pending', 'active', 'acknowledged', 'cleared', 'resolved'] as const;
const DEVICES = 9;
const ROWS = 240;

interface Device {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly facility: string;
  readonly zone: string;
}

const deviceId = fc.constantFrom(...Array.from({ length: DEVICES }, (_, i) => `fleet-${i}`), 'nobody');
const orNull = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });

const selection: fc.Arbitrary<DeviceSelection> = fc.record({
  limits: fc.array(
    fc.record({
      facilities: orNull(fc.uniqueArray(fc.constantFrom(...FACILITIES, 'Nowhere'), { minLength: 1 })),
      deviceIds: orNull(fc.uniqueArray(deviceId, { minLength: 1 })),
    }),
    { maxLength: 3 },
  ),
  facility: orNull(fc.constantFrom(...FACILITIES, 'Nowhere')),
  zone: orNull(fc.constantFrom(...ZONES)),
  deviceId: orNull(deviceId),
});

const allows = (wanted: DeviceSelection, device: Device): boolean =>
  wanted.limits.some(
    ({ facilities, deviceIds }) =>
      (facilities?.includes(device.facility) ?? true) && (deviceIds?.includes(device.deviceId) ?? true),
  ) &&
  (wanted.facility ?? device.facility) === device.facility &&
  (wanted.zone ?? device.zone) === device.zone &&
  (wanted.deviceId ?? device.deviceId) === device.deviceId;

function isShown({ status, shelvedUntilMs }: AlertState, filter: AlertFilter): boolean {
  if (status === 'pending') return false;
  if (filter === 'all') return true;
  if (filter === 'resolved') return status === 'resolved';
  if (status === 'resolved' || (filter === 'shelved') !== (shelvedUntilMs !== null)) return false;
  return filter === 'open' || filter === 'shelved' || filter === status;
}

/** Returns the ids of all pages, and checks that only the last page may be short. */
async function everyPage(
  limit: number,
  read: (beforeId: string | null) => Promise<readonly { readonly id: string; readonly deviceId: string }[]>,
): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const page = await read(found.at(-1)?.split(' ', 1)[0] ?? null);
    found.push(...page.map(({ id, deviceId: device }) => `${id} ${device}`));
    if (page.length < limit) return found;
  }
}

describeEachEngine('lists over all devices', (engine) => {
  let app: App;
  const devices: Device[] = [];
  const alerts: AlertState[] = [];
  const operations: { operationId: string; deviceNo: number; status: (typeof OPERATION_STATUSES)[number] }[] =
    [];
  const deviceOf = (no: number): Device => devices.find(({ deviceNo }) => deviceNo === no) as Device;

  before(async () => {
    app = await engine.open();
    for (let i = 0; i < DEVICES; i++) {
      const place = { facility: FACILITIES[i % 3] ?? '', zone: ZONES[i % 2] ?? '' };
      const { deviceNo } = await app.devices.register(newDevice({ deviceId: `fleet-${i}`, ...place }));
      devices.push({ deviceNo, deviceId: `fleet-${i}`, ...place });
    }
    // Some devices have most of the rows and some have only old ones, in an order that is the same in every run.
    for (let i = 0; i < ROWS; i++) {
      const at = (i * i * 7 + i) % (i > 60 ? 3 : DEVICES);
      const deviceNo = devices[at]?.deviceNo ?? 0;
      alerts.push(
        alertState({
          alertId: `al_${i}`,
          deviceNo,
          type: TYPES[(i * 5) % 7 === 0 ? 2 : i % 2] ?? 'low_level',
          status: STATUSES[(i * 11) % 5] ?? 'active',
          severity: ALERT_SEVERITIES[(i * 13) % 3] ?? 'info',
          shelvedUntilMs: i % 9 === 0 ? 1 : null,
        }),
      );
      const status = OPERATION_STATUSES[(i * 3) % OPERATION_STATUSES.length] ?? 'failed';
      operations.push({ operationId: `op_${i}`, deviceNo, status });
    }
    await insertAlerts(engine, alerts);
    await insertOperations(engine, operations);
  });

  it('have exactly the alerts that were asked for, newest first, whatever the size of a page', async () => {
    const query = fc.record({
      devices: fc.oneof(fc.constant(ALL_DEVICES), selection),
      filter: fc.constantFrom(...ALERT_FILTERS),
      severity: orNull(fc.constantFrom(...ALERT_SEVERITIES)),
      type: orNull(fc.constantFrom(...TYPES)),
    });
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 60 }), async (wanted, limit) => {
        const expected = alerts
          .filter(
            (alert) => isShown(alert, wanted.filter) && allows(wanted.devices, deviceOf(alert.deviceNo)),
          )
          .filter(
            ({ severity, type }) =>
              (wanted.severity ?? severity) === severity && (wanted.type ?? type) === type,
          )
          .map(({ alertId, deviceNo }) => `${alertId} ${deviceOf(deviceNo).deviceId}`)
          .toReversed();
        const read = (beforeId: string | null) => app.fleet.alerts({ ...wanted, beforeId, limit });
        assert.deepEqual(await everyPage(limit, read), expected);
      }),
      { numRuns: 150 },
    );
  });

  it('have exactly the operations that were asked for', async () => {
    const query = fc.record({ devices: selection, status: orNull(fc.constantFrom(...OPERATION_STATUSES)) });
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 60 }), async (wanted, limit) => {
        const expected = operations
          .filter(
            ({ status, deviceNo }) =>
              (wanted.status ?? status) === status && allows(wanted.devices, deviceOf(deviceNo)),
          )
          .map(({ operationId, deviceNo }) => `${operationId} ${deviceOf(deviceNo).deviceId}`)
          .toReversed();
        const read = (beforeId: string | null) => app.fleet.operations({ ...wanted, beforeId, limit });
        assert.deepEqual(await everyPage(limit, read), expected);
      }),
      { numRuns: 100 },
    );
  });

  it('leave out a row that cannot be read, and the page stays full', async () => {
    await engine.query(`UPDATE alerts SET body = 'damaged' WHERE alert_id IN ('al_239', 'al_236')`);
    const page = { devices: ALL_DEVICES, filter: 'all', severity: null, type: null, beforeId: null } as const;
    const found = await app.fleet.alerts({ ...page, limit: 20 });
    assert.equal(found.length, 20);
    assert.ok(found.every(({ id }) => id !== 'al_239' && id !== 'al_236'));
  });
});
