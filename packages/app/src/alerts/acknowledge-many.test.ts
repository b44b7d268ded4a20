import assert from 'node:assert/strict';
import { it } from 'node:test';
import { grantOf } from '@granary/core/keys';
import { writesWith } from '@granary/testing/app/attempts';
import { describeEachEngine, describePostgres, type TestEngine } from '@granary/testing/app/engines';
import { eventsOfDevice, NOW_MS, registerDevice, weigh } from '@granary/testing/app/fixtures';

const LATER_MS = NOW_MS + 1_000;
const CAPACITY_KG = 10_000;

async function lowSilos(engine: TestEngine, count: number, facility = 'North') {
  const app = await engine.open();
  const silos: { readonly deviceNo: number; readonly alertId: string }[] = [];
  for (let i = 0; i < count; i++) {
    const deviceNo = await registerDevice(app, { capacityKg: CAPACITY_KG, facility });
    await weigh(app, deviceNo, 1_500, NOW_MS);
    await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs: NOW_MS });
    const page = { deviceNo, filter: 'open', beforeAlertId: null, limit: 10 } as const;
    const [alert] = await app.alerts.list(page);
    assert(alert !== undefined);
    silos.push({ deviceNo, alertId: alert.alertId });
  }
  return { app, silos, alertIds: silos.map(({ alertId }) => alertId) };
}

describeEachEngine('acknowledging many alerts', (engine) => {
  it('acknowledges each like a single one, with its events, and a repetition changes nothing', async () => {
    const { app, silos, alertIds } = await lowSilos(engine, 3);
    const wanted = {
      alertIds,
      by: { acknowledged_by: 'Ada', note: 'known' },
      nowMs: LATER_MS,
    };
    const done = await app.alerts.acknowledgeMany(wanted);
    assert.deepEqual(
      done.map(({ alert }) => [alert.alertId, alert.status, alert.acknowledgedBy, alert.note]),
      alertIds.map((alertId) => [alertId, 'acknowledged', 'Ada', 'known']),
    );
    const again = await app.alerts.acknowledgeMany({ ...wanted, by: { acknowledged_by: 'Bob' } });
    assert.deepEqual(again, done);
    for (const { deviceNo } of silos) {
      const changes = (await eventsOfDevice(app, deviceNo)).filter(
        ({ type }) => type === 'alert.status_changed',
      );
      assert.equal(changes.length, 1);
    }
  });

  it('resolves an alert whose condition is gone', async () => {
    const { app, silos, alertIds } = await lowSilos(engine, 1);
    const [silo] = silos;
    assert(silo !== undefined);
    const { deviceNo } = silo;
    await weigh(app, deviceNo, 5_000, LATER_MS);
    for (const nowMs of [LATER_MS, LATER_MS + 6_000])
      await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs });
    const by = { acknowledged_by: 'Ada' };
    const [done] = await app.alerts.acknowledgeMany({
      alertIds,
      by,
      nowMs: LATER_MS + 7_000,
    });
    assert.deepEqual([done?.alert.status, done?.alert.resolvedAtMs], ['resolved', LATER_MS + 7_000]);
  });

  it('leaves out what does not exist, is pending, cannot be read, or lies beyond the limits', async () => {
    const { app, alertIds } = await lowSilos(engine, 3);
    const south = await lowSilos(engine, 1, 'South');
    const [first, pending, damaged] = alertIds;
    await engine.query(`UPDATE alerts SET status = 'pending' WHERE alert_id = '${pending}'`);
    await engine.query(`UPDATE alerts SET body = 'damaged' WHERE alert_id = '${damaged}'`);
    const { alerts } = await writesWith(app, [grantOf(['operate'], ['North'])], 'operate');
    const done = await alerts.acknowledgeMany({
      alertIds: [...alertIds, ...south.alertIds, 'al_none'],
      by: { acknowledged_by: 'Ada' },
      nowMs: LATER_MS,
    });
    assert.deepEqual(
      done.map(({ alert }) => alert.alertId),
      [first],
    );
    const [silo] = south.silos;
    assert(silo !== undefined);
    assert.equal((await app.alerts.find(silo.deviceNo, silo.alertId))?.status, 'active');
  });
});

describePostgres('two nodes that acknowledge the same alerts at once', (engine) => {
  it('give the same answer, and each alert changes once', async () => {
    const { app, silos, alertIds } = await lowSilos(engine, 20);
    const other = await engine.open();
    const acknowledge = (node: typeof app, ids: readonly string[], person: string) =>
      node.alerts.acknowledgeMany({
        alertIds: ids,
        by: { acknowledged_by: person },
        nowMs: LATER_MS,
      });
    const answers = await Promise.all([
      acknowledge(app, alertIds, 'Ada'),
      acknowledge(other, alertIds.toReversed(), 'Bob'),
      acknowledge(app, alertIds.toReversed(), 'Cleo'),
      acknowledge(other, alertIds, 'Dan'),
    ]);
    const people = new Set(answers.flat().map(({ alert }) => alert.acknowledgedBy));
    assert.equal(people.size, 1);
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    for (const { deviceNo } of silos) {
      const changes = (await eventsOfDevice(app, deviceNo)).filter(
        ({ type }) => type === 'alert.status_changed',
      );
      assert.equal(changes.length, 1);
    }
  });
});
