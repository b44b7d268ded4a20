import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { DAY_MS, HOUR_MS, toIso } from '@granary/contract/time';
import { eventually } from '@granary/testing/server/eventually';
import { type Answer, describeRequests } from '@granary/testing/server/service';
import {
  FORECAST_NOW_MS,
  SILO_DEVICES,
  SILO_KG,
  sendWeights,
  siloOf,
  WEIGHED_DAYS,
  weights,
} from '@granary/testing/server/silo-weights';

const DEVICE = `${SILO_DEVICES}/mill`;
const dayFrom = (days: number): string => toIso(FORECAST_NOW_MS + days * DAY_MS).slice(0, 10);

/** Each of these configurations is refused with the path of the field. */
const REFUSED: readonly (readonly [path: string, config: object])[] = [
  ['/animals/heads', { animals: { kind: 'broiler', heads: 0, started_on: dayFrom(-10) } }],
  ['/animals/heads', { animals: { kind: 'broiler', heads: 1e9, started_on: dayFrom(-10) } }],
  ['/animals/heads', { animals: { kind: 'broiler', heads: 0.5, started_on: dayFrom(-10) } }],
  ['/animals/started_on', { animals: { kind: 'broiler', heads: 1, started_on: '2026-02-30' } }],
  ['/animals/ends_on', { animals: { kind: 'pig', heads: 1, started_on: dayFrom(-1), ends_on: dayFrom(-2) } }],
  ['/animals/curve', { animals: { kind: 'other', heads: 1, started_on: dayFrom(-1), curve: [] } }],
  ['/supply/lead_time_h', { supply: { lead_time_h: 365 * 24 } }],
  ['/supply/lead_time_h', { supply: { lead_time_h: -1 } }],
  ['/supply/delivery_days', { supply: { delivery_days: [] } }],
  ['/supply/delivery_days/0', { supply: { delivery_days: ['someday'] } }],
  ['/supply/cut_off', { supply: { cut_off: '24:00' } }],
  ['/supply/truck_kg', { supply: { truck_kg: 0 } }],
  ['/supply/reserve_percent', { supply: { reserve_percent: 100 } }],
  ['/supply/planned/0/kg', { supply: { planned: [{ at: toIso(FORECAST_NOW_MS + DAY_MS), kg: -5 }] } }],
  ['/supply/planned/0/at', { supply: { planned: [{ at: 'tomorrow', kg: 5 }] } }],
  ['/product/moisture_percent', { product: { name: 'x', moisture_percent: 100 } }],
];

const REFUSED_DELIVERIES: readonly (readonly [path: string, delivery: object])[] = [
  ['/at', { at: toIso(FORECAST_NOW_MS - HOUR_MS), kg: 5_000 }],
  ['/at', { at: toIso(FORECAST_NOW_MS + 400 * DAY_MS), kg: 5_000 }],
  ['/at', { at: 'tomorrow', kg: 5_000 }],
  ['/kg', { at: toIso(FORECAST_NOW_MS + DAY_MS), kg: SILO_KG + 1 }],
  ['/kg', { at: toIso(FORECAST_NOW_MS + DAY_MS), kg: 0 }],
];

/** These values are possible, but not true for this silo. */
const ANIMALS: readonly (readonly [what: string, animals: object])[] = [
  ['placed in a year', { kind: 'broiler', heads: 20_000, started_on: dayFrom(365) }],
  ['placed 400 days ago', { kind: 'broiler', heads: 20_000, started_on: dayFrom(-400) }],
  ['more than the silo could feed', { kind: 'broiler', heads: 9e6, started_on: dayFrom(-30) }],
];

describeRequests(
  'values that cannot be true, over HTTP',
  (api) => {
    const codes = ({ body }: Answer): string[] => body.data.reasons.map(({ code }: { code: string }) => code);
    const configuration = async () => JSON.stringify((await api.get(`${DEVICE}/config`)).body.data);

    before(async () => {
      await api.post(SILO_DEVICES, siloOf('mill', 'north'));
      await api.put(`${DEVICE}/config`, { time_zone: 'UTC', supply: { lead_time_h: 48 } });
      await sendWeights(api, 'mill', weights(FORECAST_NOW_MS - WEIGHED_DAYS * DAY_MS, FORECAST_NOW_MS));
    });

    test('what is refused names its field and changes nothing', async () => {
      const unchanged = await configuration();
      for (const [path, config] of REFUSED) {
        const { status, body } = await api.put(`${DEVICE}/config`, config);
        assert.deepEqual([status, body.error.code], [400, 'invalid_input'], JSON.stringify(config));
        const paths = body.error.details.map((one: { path: string }) => one.path);
        assert.ok(paths.includes(path), `${path} in ${JSON.stringify(body.error)}`);
      }
      for (const [path, delivery] of REFUSED_DELIVERIES) {
        const { status, body } = await api.post(`${DEVICE}/deliveries`, delivery);
        assert.deepEqual([status, body.error.code], [400, 'invalid_input'], JSON.stringify(delivery));
        assert.equal(body.error.details[0].path, path, JSON.stringify(body.error));
      }
      for (const horizon of ['0d', '9999d', 'abc', '-1d', '14', '1.5d']) {
        const { status, body } = await api.get(`${DEVICE}/forecast?horizon=${horizon}`);
        assert.deepEqual([status, body.error.code], [400, 'invalid_input'], horizon);
      }
      for (const capacity of [0, -1, 1e9, null]) {
        const registration = { ...siloOf('other', 'north'), capacity: { max: capacity, unit: 'kg' } };
        const { status, body } = await api.post(SILO_DEVICES, registration);
        assert.deepEqual([status, body.error.code], [400, 'invalid_input'], String(capacity));
      }
      assert.equal(await configuration(), unchanged);
      assert.equal((await api.get(`${DEVICE}/forecast`)).body.data.status, 'ok');
    });

    test('animals that this silo cannot have make it unpredictable, with the reason', async () => {
      for (const [what, animals] of ANIMALS) {
        assert.equal((await api.put(`${DEVICE}/config`, { animals })).status, 200, what);
        const answer = await api.get(`${DEVICE}/forecast`);
        const { status, empty, order_by } = answer.body.data;
        assert.deepEqual(
          [status, empty, order_by, codes(answer)],
          ['unpredictable', null, null, ['animals_not_plausible']],
          what,
        );
      }
      await api.put(`${DEVICE}/config`, { animals: null });
      assert.equal((await api.get(`${DEVICE}/forecast`)).body.data.status, 'ok');
    });

    test('a capacity that its weights contradict makes a silo unpredictable, with the reason', async () => {
      for (const capacityKg of [100, 3_000]) {
        const deviceId = `silo-of-${capacityKg}`;
        await api.post(SILO_DEVICES, siloOf(deviceId, 'south', capacityKg));
        const readings = weights(FORECAST_NOW_MS - 10 * DAY_MS, FORECAST_NOW_MS);
        await sendWeights(api, deviceId, readings);
        const answer = await api.get(`${SILO_DEVICES}/${deviceId}/forecast`);
        const { status, empty, order_by } = answer.body.data;
        assert.deepEqual(
          [status, empty, order_by, codes(answer)],
          ['unpredictable', null, null, ['capacity_not_plausible']],
          JSON.stringify(answer.body.data),
        );
        await eventually(async () => {
          const { data } = (await api.get('/v1/forecasts?facility=south')).body;
          return data.find((one: { device_id: string }) => one.device_id === deviceId)?.status;
        }, 'unpredictable');
      }
    });

    test('a finding that says nothing for another reason names it', async () => {
      await api.post(SILO_DEVICES, siloOf('new', 'west'));
      const why = async () => {
        const { data } = (await api.get('/v1/findings?facility=west&type=unexplained_loss&result=all')).body;
        return data[0]?.code;
      };
      await sendWeights(api, 'new', weights(FORECAST_NOW_MS - 2 * DAY_MS, FORECAST_NOW_MS));
      await eventually(why, 'withdrawals_not_known');
      await api.put(`${SILO_DEVICES}/new/config`, { withdrawals: 'operations_only' });
      await eventually(why, 'too_few_nights');
    });

    test('a silo of ten thousand tons that has ten is empty, and has no date', async () => {
      await api.post(SILO_DEVICES, siloOf('giant', 'south', 1e7));
      await sendWeights(api, 'giant', weights(FORECAST_NOW_MS - 10 * DAY_MS, FORECAST_NOW_MS));
      const { status, empty, order_by } = (await api.get(`${SILO_DEVICES}/giant/forecast`)).body.data;
      assert.deepEqual([status, empty, order_by], ['empty', null, null]);
    });

    test('the longest lead time gives an order that is overdue, and no date that is absurd', async () => {
      await api.put(`${DEVICE}/config`, { supply: { lead_time_h: 1_440, delivery_days: ['sun'] } });
      const answer = await api.get(`${DEVICE}/forecast`);
      const { empty, order_by, suggestion } = answer.body.data;
      assert.ok(codes(answer).includes('order_overdue'));
      for (const at of [empty.p10, empty.p50, empty.p90, order_by, suggestion.fits_from]) {
        assert.ok(Math.abs(Date.parse(at) - FORECAST_NOW_MS) < 70 * DAY_MS, at);
      }
    });
  },
  {},
  { now: () => FORECAST_NOW_MS },
);
