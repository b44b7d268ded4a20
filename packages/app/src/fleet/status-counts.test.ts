import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { describeEachEngine } from '@granary/testing/app/engines';
import { NOW_MS, newDevice, newFieldDevice, weigh } from '@granary/testing/app/fixtures';
import { alertState, insertAlerts } from '@granary/testing/app/fleet-rows';
import type { App } from '../app.ts';

interface Part {
  readonly counts: readonly unknown[];
  readonly next: number | null;
}

/** The counts of each part. */
async function partsOf(read: (after: number) => Promise<Part>): Promise<unknown[]> {
  const parts: unknown[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const { counts, next }: Part = await read(after);
    parts.push(counts);
    after = next;
  }
  return parts;
}

describeEachEngine('counts in parts', (engine) => {
  let app: App;
  const deviceParts = (rowsMax: number) =>
    partsOf((after) => app.fleet.countDevices(NOW_MS, { after, rowsMax }));
  const alertParts = (rowsMax: number) => partsOf((after) => app.fleet.countAlerts({ after, rowsMax }));

  before(async () => {
    app = await engine.open();
  });

  it('are empty without rows', async () => {
    assert.deepEqual(await deviceParts(2), [[]]);
    assert.deepEqual(await alertParts(2), [[]]);
  });

  it('count each device and each open alert once, and no removed device', async () => {
    const numbers: number[] = [];
    for (const deviceId of ['a', 'b', 'c', 'd', 'e']) {
      numbers.push((await app.devices.register(newDevice({ deviceId }))).deviceNo);
    }
    await app.devices.register(newFieldDevice({ deviceId: 'f' }));
    const [first = 0, second = 0, third = 0] = numbers;
    await engine.query(`UPDATE devices SET removed_at_ms = 1 WHERE device_no IN (${second}, ${third})`);
    await weigh(app, first, 100, NOW_MS);
    const [online, offline, rover] = [
      { profile: 'silo_scale', status: 'online', count: 1 },
      { profile: 'silo_scale', status: 'offline', count: 1 },
      { profile: 'rover', status: 'offline', count: 1 },
    ];
    assert.deepEqual(await deviceParts(1), [[online], [], [], [offline], [offline], [rover], []]);
    assert.deepEqual((await deviceParts(5))[1], [rover]);
    assert.equal((await deviceParts(7)).length, 1);

    const ids = ['al_1', 'al_2', 'al_3', 'al_4', 'al_5', 'al_6'];
    const hidden: Record<string, object> = {
      al_2: { status: 'resolved' },
      al_4: { shelvedUntilMs: NOW_MS + 1 },
      al_5: { status: 'pending' },
    };
    const alerts = ids.map((alertId) => alertState({ alertId, deviceNo: first, ...hidden[alertId] }));
    await insertAlerts(engine, alerts);
    const counted = (count: number) => [{ type: 'low_level', severity: 'warning', status: 'active', count }];
    assert.deepEqual(await alertParts(2), [counted(2), [], counted(1)]);
    assert.deepEqual(await alertParts(100), [counted(3)]);
  });
});
