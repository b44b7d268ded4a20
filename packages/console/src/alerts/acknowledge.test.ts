import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@granary/client';
import type { FleetAlert } from '@granary/contract/fleet';
import { acknowledge } from './acknowledge.ts';

type Fleet = Pick<Client, 'fleet'>;
type Sent = Parameters<Client['fleet']['acknowledgeAlerts']>[0];

/** A service in which Ada has acknowledged these alerts already, and which has no others than those named. */
function aService(ofAda: readonly string[], missing: readonly string[] = []) {
  const sent: Sent[] = [];
  const acknowledgeAlerts = async (body: Sent) => {
    sent.push(body);
    const { alert_ids, acknowledged_by, note = null } = body;
    const results = alert_ids.map((alert_id) => {
      if (missing.includes(alert_id)) return { alert_id, outcome: 'not_found', alert: null };
      const stored = ofAda.includes(alert_id)
        ? { acknowledged_by: 'Ada', note: 'seen' }
        : { acknowledged_by, note };
      return { alert_id, outcome: 'acknowledged', alert: { alert_id, ...stored } as FleetAlert };
    });
    return { results };
  };
  return { sent, client: { fleet: { acknowledgeAlerts } } as unknown as Fleet };
}

test('the second person learns who was first', async () => {
  const { client } = aService(['a'], ['gone']);
  const { alerts, byOthers, missing } = await acknowledge(
    client,
    ['a', 'b', 'gone'],
    { acknowledged_by: 'Ben' },
    {},
  );
  assert.deepEqual(
    [alerts.map(({ alert_id }) => alert_id), byOthers.map(({ acknowledged_by }) => acknowledged_by), missing],
    [['a', 'b'], ['Ada'], 1],
  );
});

test('a note that was not stored counts as acknowledged by another, also under the same name', async () => {
  const { client } = aService(['a']);
  const repeated = await acknowledge(client, ['a'], { acknowledged_by: 'Ada' }, {});
  const noted = await acknowledge(client, ['a'], { acknowledged_by: 'Ada', note: 'a truck comes' }, {});
  assert.deepEqual([repeated.byOthers.length, noted.byOthers.length], [0, 1]);
});

test('more alerts than the service takes at once are sent in parts', async () => {
  const { client, sent } = aService([]);
  const ids = Array.from({ length: 401 }, (_, index) => `al_${index}`);
  const { alerts } = await acknowledge(client, ids, { acknowledged_by: 'Ben' }, {});
  assert.deepEqual([sent.map(({ alert_ids }) => alert_ids.length), alerts.length], [[200, 200, 1], 401]);
});
