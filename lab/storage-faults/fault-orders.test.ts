import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { hasProgram } from '@granary/testing/link/outside-clients';
import { ORDERS, type Stop, tryOrder, withoutBroker } from './fault-orders.ts';

/** The number of stops of each kind in each order. */
const STOPS_PER_KIND = IS_FULL_SIZE ? 25 : 6;
const STOPS = { stops: STOPS_PER_KIND, stopsWithoutBroker: STOPS_PER_KIND };
/** After this time the link has dropped the messages that it could not send, so that only the nodes still know of the stops. */
const REST_MS = 6_000;
const IN_TIME_MS = 500;

/** Only the killed node knew the stop: neither the database nor the device had it, and the caller was told so. */
const isLost = ({ isOfKilledNode, faults, ...stop }: Stop): boolean =>
  isOfKilledNode && faults.includes('database frozen') && withoutBroker({ isOfKilledNode, faults, ...stop });

const nameOf = ({ kind, faults, isAfterReturn }: Stop): string =>
  `${kind} after ${faults.join(', ')}${isAfterReturn ? ', broker back' : ''}`;

const shown = (stops: readonly Stop[]): string =>
  stops.map((stop) => `${nameOf(stop)}: ${stop.status} ${stop.detail}`).join('\n');

function figures(stops: readonly Stop[]): string {
  const times = stops.flatMap(({ atDeviceMs }) => atDeviceMs ?? []).sort((one, other) => one - other);
  const inTime = times.filter((ms) => ms <= IN_TIME_MS).length;
  return `${times.length} of ${stops.length} at their devices, ${inTime} within ${IN_TIME_MS} ms, the slowest after ${times.at(-1)?.toFixed(0)} ms`;
}

describe('stops of three nodes with PostgreSQL and Mosquitto', { skip: !hasProgram('mosquitto') }, () => {
  for (const order of ORDERS) {
    test(`reach their devices after: ${order.join(', ')}`, async (t) => {
      const restMs = order[0] === 'broker away' ? REST_MS : 0;
      const all = await tryOrder(order, { ...STOPS, restMs });
      const [waiting, direct] = [all.filter(withoutBroker), all.filter((stop) => !withoutBroker(stop))];
      t.diagnostic(`with the broker: ${figures(direct)}`);
      t.diagnostic(`asked for without it, from the return of the device: ${figures(waiting)}`);

      assert.deepEqual([...new Set(all.map(({ status }) => status))], [200], shown(all));
      const missing = all.filter((stop) => stop.atDeviceMs === null && !isLost(stop));
      assert.equal(missing.length, 0, shown(missing));
      const claimed = waiting.filter(({ detail }) => /was sent/.test(detail));
      assert.equal(claimed.length, 0, shown(claimed));
      const unstored = all.filter(({ stored, isOfKilledNode }) => stored !== 1 && !isOfKilledNode);
      assert.equal(unstored.length, 0, shown(unstored));
    });
  }
});
