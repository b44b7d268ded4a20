import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { DAY_MS, HOUR_MS, toIso } from '@granary/contract/time';
import { eventually } from '@granary/testing/server/eventually';
import { describeService } from '@granary/testing/server/service';
import {
  FORECAST_NOW_MS,
  levelAt,
  REFILL_KG,
  SILO_DEVICES,
  SILO_KG,
  sendWeights,
  siloOf,
  USE_KG,
  WEIGHED_DAYS,
  weights,
} from '@granary/testing/server/silo-weights';

const NOW_MS = FORECAST_NOW_MS;
const DAYS = WEIGHED_DAYS;
const devices = SILO_DEVICES;

/** The answers of the first engine, which those of the second must equal. */
const answers = new Map<string, string>();

describeService(
  'foresight over HTTP',
  (api) => {
    const backfill = (deviceId: string, readings: readonly object[]) => sendWeights(api, deviceId, readings);
    const forecastOf = async (deviceId: string, query = '') =>
      (await api.get(`${devices}/${deviceId}/forecast${query}`)).body.data;
    const same = (name: string, value: unknown): void => {
      const text = JSON.stringify(value);
      assert.equal(text, answers.get(name) ?? text, name);
      answers.set(name, text);
    };
    let readOnlyKey = '';
    let northKey = '';

    before(async () => {
      await api.post(devices, siloOf('mill', 'north'));
      await api.post(devices, siloOf('new', 'south'));
      await api.post(devices, siloOf('absurd', 'south', 100));
      await api.put(`${devices}/mill/config`, {
        product: { name: 'Wheat, "soft"', grain: 'soft_wheat', moisture_percent: 13 },
        supply: { lead_time_h: 48, delivery_days: ['mon', 'wed', 'fri'], truck_kg: 12_000 },
        time_zone: 'UTC',
      });
      await backfill('mill', weights(NOW_MS - DAYS * DAY_MS, NOW_MS));
      const key = async (body: object) => (await api.post('/v1/keys', body)).body.data.key;
      readOnlyKey = await key({ name: 'reader', scopes: ['read'] });
      northKey = await key({ name: 'south only', scopes: ['read', 'operate'], facilities: ['south'] });
    });

    test('a month that is sent at once is forecast soon after, with range, order and reasons', async () => {
      const forecast = await forecastOf('mill');
      assert.equal(forecast.status, 'ok', JSON.stringify(forecast.reasons));
      assert.ok(Math.abs(forecast.use.kg_per_day - USE_KG) < 70, JSON.stringify(forecast.use));
      const daysLeft = (Date.parse(forecast.empty.p50) - NOW_MS) / DAY_MS;
      const usableDays = (levelAt(NOW_MS) - 0.05 * SILO_KG) / USE_KG;
      assert.ok(Math.abs(daysLeft - usableDays) < 1.5, `${daysLeft} instead of ${usableDays} days`);
      assert.ok(forecast.empty.p10 <= forecast.empty.p50 && forecast.empty.p50 <= forecast.empty.p90);
      assert.ok(forecast.order_by < forecast.empty.p50);
      assert.ok(forecast.suggestion.kg > 0);
      assert.ok(forecast.reasons.some(({ code }: { code: string }) => code === 'uses'));
      assert.equal(Date.parse(forecast.made_at), NOW_MS);
      same('forecast', forecast);
      const isListed = async () => {
        const [first] = (await api.get('/v1/forecasts')).body.data;
        return first?.empty?.p50;
      };
      await eventually(isListed, forecast.empty.p50);
      const [listed] = (await api.get('/v1/forecasts?facility=north&sort=order_by')).body.data;
      assert.equal(listed.device_id, 'mill');
      assert.equal(listed.empty.p50, forecast.empty.p50);
      assert.equal(listed.product, 'Wheat, "soft"');
      assert.deepEqual((await api.get('/v1/forecasts?product=Barley')).body.data, []);
    });

    test('a report has stock, deliveries, use and orders of its days, and what a key may see', async () => {
      const reportOf = async (query: string) => (await api.get(`/v1/reports${query}`)).body.data;
      const millOf = async (query: string) =>
        (await reportOf(query)).silos.find(({ device_id: id }: { device_id: string }) => id === 'mill');
      await eventually(async () => (await millOf('?tz=UTC'))?.status, 'ok');
      for (const [period, count] of [
        ['daily', 1],
        ['weekly', 7],
      ] as const) {
        const mill = await millOf(`?tz=UTC&period=${period}&facility=north`);
        assert.equal(mill.days_known, count);
        assert.ok(Math.abs(mill.use_kg - count * USE_KG) < 70 * count, JSON.stringify(mill));
        const balance = mill.begin_kg + mill.in_kg - mill.use_kg - mill.end_kg;
        assert.ok(Math.abs(balance) < 0.02 * SILO_KG, JSON.stringify(mill));
      }
      const week = await reportOf('?tz=UTC&period=weekly');
      assert.equal(week.days.length, 7);
      assert.equal(Date.parse(week.to) - Date.parse(week.from), 7 * DAY_MS);
      same('report', week);
      const today = await reportOf(`?tz=UTC&date=${toIso(NOW_MS).slice(0, 10)}`);
      assert.deepEqual([today.is_over, Date.parse(today.to)], [false, NOW_MS]);
      const south = await api.as(northKey).get('/v1/reports');
      assert.doesNotMatch(south.text, /mill/);
      assert.equal(south.body.data.totals.silos, 2);
      assert.equal((await reportOf('?facility=nowhere')).totals.silos, 0);
      assert.equal((await reportOf('?label=organic')).totals.silos, 0);
    });

    test('a report is a page and a table, too', async () => {
      const csv = await api.get('/v1/reports?tz=UTC', { accept: 'text/csv' });
      assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
      assert.match(csv.text, /,mill,.*,"Wheat, ""soft""",/);
      const html = await api.get('/v1/reports?tz=UTC&format=html&language=de');
      assert.match(html.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(html.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.match(html.text, /<h1[^>]*>Tagesbericht/);
      assert.match(html.text, /Wheat, &#34;soft&#34;/);
    });

    test('a report begins with the critical alerts that are present', async () => {
      await api.post(devices, siloOf('low', 'east'));
      await backfill('low', [{ ts: NOW_MS, weight: 100 }]);
      const present = async (query: string) =>
        (await api.get(`/v1/reports${query}`)).body.data.open_critical
          .map(({ device_id: id, type }: { device_id: string; type: string }) => `${id} ${type}`)
          .join();
      await eventually(() => present('?facility=east'), 'low critical_level');
      assert.equal(await present('?facility=south'), '');
      assert.equal((await api.delete(`${devices}/low`)).status, 200);
    });

    test('a report that cannot be made says why', async () => {
      for (const [query, path] of [
        ['period=yearly', '/period'],
        ['date=2026-02-30', '/date'],
        ['date=9999-01-01', '/date'],
        ['date=1969-12-31', '/date'],
        ['date=yesterday', '/date'],
        ['tz=Mars', '/tz'],
        ['format=pdf', '/format'],
        ['label=,', '/label'],
        ['language=xx', '/language'],
        ['from=now', '/from'],
      ] as const) {
        const { status, body } = await api.get(`/v1/reports?${query}`);
        assert.deepEqual([status, body.error?.details?.[0]?.path], [400, path], query);
      }
    });

    test('the path is as long as the horizon, also as CSV', async () => {
      const { path } = await forecastOf('mill', '?horizon=3d');
      assert.ok(Date.parse(path.at(-1).at) <= NOW_MS + 3 * DAY_MS + HOUR_MS);
      const csv = await api.get(`${devices}/mill/forecast?horizon=3d`, { accept: 'text/csv' });
      assert.match(csv.text, /^at,p10,p25,p50,p75,p90\r\n2026-/);
      assert.equal(csv.text.trimEnd().split('\r\n').length, path.length + 1);
      for (const horizon of ['0d', '31d', '14', 'soon']) {
        const refused = await api.get(`${devices}/mill/forecast?horizon=${horizon}`);
        assert.equal(refused.body.error.code, 'invalid_input', horizon);
      }
    });

    test('refills are found, and a note of a person is kept', async () => {
      const { data } = (await api.get('/v1/refills')).body;
      assert.equal(data.length, 2, JSON.stringify(data));
      for (const { kg, source } of data) {
        assert.ok(Math.abs(kg - REFILL_KG) < 0.01 * SILO_KG, String(kg));
        assert.equal(source, 'weight');
      }
      const [{ refill_id }] = data;
      const noted = await api.patch(`/v1/refills/${refill_id}`, {
        delivery_note_kg: 9_000,
        product: 'Wheat',
      });
      assert.equal(noted.body.data.delivery_note_kg, 9_000);
      await eventually(
        async () => (await api.get('/v1/findings?type=delivery_mismatch')).body.data.length,
        1,
      );
      const [finding] = (await api.get('/v1/findings?type=delivery_mismatch')).body.data;
      assert.equal(finding.code, 'less_than_noted');
      assert.match(finding.text, /9000 kg on the delivery note/);
      const again = (await api.get('/v1/refills?device_id=mill')).body.data;
      assert.deepEqual(
        again.map(({ refill_id: id, product }: { refill_id: string; product: string }) => [id, product]),
        data.map(({ refill_id: id, product }: { refill_id: string; product: string }) => [
          id,
          id === refill_id ? 'Wheat' : product,
        ]),
      );
      assert.equal(
        (await api.patch('/v1/refills/rf_none', { is_refill: false })).body.error.code,
        'refill_not_found',
      );
      assert.equal(
        (await api.patch(`/v1/refills/${refill_id}`, { delivery_note_kg: -1 })).body.error.code,
        'invalid_input',
      );
      const hidden = await api.as(northKey).patch(`/v1/refills/${refill_id}`, { is_refill: false });
      assert.equal(hidden.body.error.code, 'refill_not_found');
    });

    test('the order list has what to order, and packs it', async () => {
      const until = toIso(NOW_MS + 20 * DAY_MS);
      const list = (await api.get(`/v1/order-list?until=${until}&compartments=6000,6000`)).body.data;
      assert.equal(list.lines.length, 1, JSON.stringify(list));
      assert.equal(list.totals[0].kg, list.lines[0].kg);
      assert.ok(
        list.loads.every(({ kg, capacity_kg }: { kg: number; capacity_kg: number }) => kg <= capacity_kg),
      );
      const csv = await api.get(`/v1/order-list?until=${until}`, { accept: 'text/csv' });
      assert.match(csv.text, /^device_id,name,facility,.*\r\nmill,mill,north,yard,"Wheat, ""soft"""/);
      for (const compartments of ['', '0', '1,two', '-1', '9999999']) {
        const refused = await api.get(`/v1/order-list?compartments=${compartments}`);
        assert.equal(refused.body.error.code, 'invalid_input', compartments);
      }
    });

    test('a delivery is planned and cancelled', async () => {
      const { order_by } = await forecastOf('mill');
      const at = toIso(NOW_MS + 3 * DAY_MS);
      const planned = await api.post(`${devices}/mill/deliveries`, { at, kg: 6_000 });
      assert.deepEqual(planned.body.data, { planned: [{ at, kg: 6_000 }] });
      const replaced = await api.post(`${devices}/mill/deliveries`, { at, kg: 5_000 });
      assert.deepEqual(replaced.body.data, { planned: [{ at, kg: 5_000 }] });
      const { supply } = (await api.get(`${devices}/mill/config`)).body.data;
      assert.deepEqual([supply.planned, supply.lead_time_h], [[{ at, kg: 5_000 }], 48]);
      const past = await api.post(`${devices}/mill/deliveries`, { at: toIso(NOW_MS - 1), kg: 1 });
      assert.equal(past.body.error.code, 'invalid_input');
      const refused = await api.as(readOnlyKey).post(`${devices}/mill/deliveries`, { at, kg: 1 });
      assert.equal(refused.body.error.code, 'forbidden');
      assert.deepEqual((await api.delete(`${devices}/mill/deliveries?at=${at}`)).body.data, { planned: [] });
      assert.deepEqual((await api.delete(`${devices}/mill/deliveries`)).body.data, { planned: [] });
      assert.equal((await forecastOf('mill')).order_by, order_by);
    });

    test('late readings change the days that they belong to, as if they had come in order', async () => {
      const [firstMs, endMs] = [NOW_MS - 9 * DAY_MS, NOW_MS - 6 * DAY_MS];
      await api.post(devices, siloOf('late', 'north'));
      await api.put(`${devices}/late/config`, { time_zone: 'UTC', supply: { lead_time_h: 24 } });
      await backfill('late', weights(NOW_MS - DAYS * DAY_MS, firstMs));
      await backfill('late', weights(endMs, NOW_MS));
      await eventually(async () => (await api.get('/v1/forecasts?device_id=late')).body.data.length, 1);
      await backfill('late', weights(firstMs, endMs));
      await api.post(devices, siloOf('in-order', 'north'));
      await api.put(`${devices}/in-order/config`, { time_zone: 'UTC', supply: { lead_time_h: 24 } });
      await backfill('in-order', weights(NOW_MS - DAYS * DAY_MS, NOW_MS));
      const wanted = await forecastOf('in-order');
      assert.equal(JSON.stringify(await forecastOf('late')), JSON.stringify(wanted));
      same('in order', wanted);
      const listed = async (deviceId: string) =>
        (await api.get(`/v1/forecasts?device_id=${deviceId}`)).body.data[0]?.use?.kg_per_day;
      await eventually(async () => (await listed('late')) === wanted.use.kg_per_day, true);
    });

    test('what cannot be forecast says why', async () => {
      const fresh = await forecastOf('new');
      assert.equal(fresh.status, 'stale');
      assert.equal(fresh.empty, null);
      await backfill('new', weights(NOW_MS - DAY_MS, NOW_MS));
      assert.equal((await forecastOf('new')).status, 'learning');
      await api.put(`${devices}/mill/config`, {
        animals: { kind: 'broiler', heads: 20_000, started_on: '1999-01-01' },
      });
      const animals = await forecastOf('mill');
      assert.ok(
        animals.reasons.some(({ code }: { code: string }) => code.startsWith('animals')),
        JSON.stringify(animals.reasons),
      );
      await api.put(`${devices}/mill/config`, { animals: null });
      for (const wrong of [
        { animals: { kind: 'broiler', heads: 20_000, started_on: '2026-02-31' } },
        { animals: { kind: 'dragon', heads: 1, started_on: '2026-02-01' } },
        { animals: { kind: 'pig', heads: 1, started_on: '2026-02-01', ends_on: '2026-01-01' } },
        { supply: { cut_off: '25:00' } },
        { supply: { delivery_days: [] } },
        { time_zone: 'Mars/Olympus' },
        { product: { name: 'x', grain: 'gold' } },
        { withdrawals: 'some' },
      ]) {
        const refused = await api.put(`${devices}/mill/config`, wrong);
        assert.equal(refused.body.error.code, 'invalid_input', JSON.stringify(wrong));
        assert.ok(refused.body.error.details.length > 0);
      }
    });

    test('grain has its moisture, its storage time and its advice', async () => {
      const grain = (await api.get(`${devices}/mill/grain`)).body.data;
      assert.equal(grain.grain, 'soft_wheat');
      assert.equal(grain.moisture_percent, 13);
      assert.ok(grain.equilibrium_moisture_percent > 10 && grain.equilibrium_moisture_percent < 16);
      assert.ok(grain.storage.used_percent >= 0);
      const none = (await api.get(`${devices}/new/grain`)).body.data;
      assert.deepEqual([none.grain, none.reasons[0].code], [null, 'no_grain']);
    });

    test('a limited key sees its own silos only', async () => {
      const south = api.as(northKey);
      assert.equal((await south.get(`${devices}/mill/forecast`)).body.error.code, 'device_not_found');
      assert.deepEqual((await south.get('/v1/refills')).body.data, []);
      const listed = (await south.get('/v1/forecasts')).body.data;
      assert.ok(
        listed.every(({ location }: { location: { facility: string } }) => location.facility === 'south'),
      );
    });

    test('the events of forecasts and refills are logged', async () => {
      const response = await fetch(`${api.started.httpUrl}/v1/events?type=forecast.changed,refill.detected`, {
        headers: { ...api.authorization, 'last-event-id': '0' },
      });
      const reader = response.body?.getReader();
      let text = '';
      while (!(text.includes('event: forecast.changed') && text.includes('event: refill.detected'))) {
        const { value, done } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done) break;
        text += new TextDecoder().decode(value);
      }
      await reader?.cancel();
      assert.match(text, /"previous_status":null/);
    });
  },
  {},
  { now: () => NOW_MS },
);
