import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeEachEngine } from '../testing/engines.ts';
import { restoreOldDatabase } from '../testing/old-databases.ts';

const LAST_SCHEMA_WITHOUT_SHELVED_COLUMN = 3;

describeEachEngine('a database with a shelved alert of a version whose lists showed it', (engine) => {
  it('lists the alert only with the filter for shelved alerts', async () => {
    await restoreOldDatabase(engine.location, LAST_SCHEMA_WITHOUT_SHELVED_COLUMN);
    const app = await engine.open();
    const [row] = await engine.query(
      'SELECT device_no, alert_id FROM alerts WHERE shelved_until_ms IS NOT NULL',
    );
    assert(row !== undefined);
    const [deviceNo, alertId] = [Number(row[0]), String(row[1])];
    const alert = await app.alerts.find(deviceNo, alertId);
    assert.equal(typeof alert?.shelvedUntilMs, 'number');
    assert.deepEqual(
      await engine.query(`SELECT shelved_until_ms FROM alerts WHERE alert_id = '${alertId}'`),
      [[alert?.shelvedUntilMs]],
    );
    const shownBy = async (filter: 'open' | 'shelved') =>
      (await app.alerts.list({ deviceNo, filter, beforeAlertId: null, limit: 100 })).map(
        (one) => one.alertId,
      );
    assert.deepEqual(await shownBy('shelved'), [alertId]);
    assert(!(await shownBy('open')).includes(alertId));
  });
});
