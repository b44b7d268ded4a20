import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ALERT_DOCUMENT } from '@granary/core/alerts/document';
import { describeEachEngine } from '../testing/engines.ts';
import { restoreOldDatabase } from '../testing/old-databases.ts';

const LAST_SCHEMA_WITHOUT_DOCUMENT_VERSIONS = 7;

describeEachEngine('a database with alerts from before their severity had a column', (engine) => {
  it('has the severity of each alert in it, also beside one that cannot be read', async () => {
    await restoreOldDatabase(engine.location, LAST_SCHEMA_WITHOUT_DOCUMENT_VERSIONS);
    const damaged = `UPDATE alerts SET body = 'no JSON' WHERE alert_no = (SELECT MAX(alert_no) FROM alerts)`;
    await engine.query(damaged);
    await engine.open();
    const rows = await engine.query('SELECT severity, body FROM alerts ORDER BY alert_no');
    assert.deepEqual(rows.pop(), ['info', 'no JSON']);
    const severities = new Set(rows.map(([severity]) => severity));
    assert.ok(severities.has('critical') && severities.has('warning'));
    for (const [severity, body] of rows) assert.equal(severity, ALERT_DOCUMENT.read(String(body)).severity);
  });
});
