import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { describeService, siloNamed } from '@granary/testing/server/service';

/** The clocks of Berlin were set back on the 25th: that day has 25 hours. */
const NOW_MS = Date.UTC(2026, 9, 28);
const FIRST_MS = Date.UTC(2026, 9, 23, 22);
const HOURS = 73;
const RANGE = 'from=2026-10-01T00:00:00Z&to=2026-10-28T00:00:00Z';
const DAYS = `${RANGE}&interval=1d&device_id=silo-1`;

const linesOf = (text: string): string[] => text.split('\r\n').slice(0, -1);

describeService(
  'the history in kg and percent, and in days of a time zone',
  (api) => {
    const lines = async (query: string) => {
      const { status, text } = await api.get(`/v1/history?${query}`);
      assert.equal(status, 200, text);
      return linesOf(text);
    };
    const columns = async (query: string, ...wanted: number[]) =>
      (await lines(query)).slice(1).map((line) => wanted.map((column) => line.split(',')[column]).join(' '));

    /** One reading in the middle of each hour. */
    before(async () => {
      await api.post('/v1/siloscale/devices', siloNamed('silo-1'));
      await api.post('/v1/siloscale/devices', siloNamed('silo-2', 'south'));
      const readings = Array.from({ length: HOURS }, (_, hour) => ({
        ts: FIRST_MS + hour * HOUR_MS + 30 * MINUTE_MS,
        weight: 100 + hour,
      }));
      await api.post('/v1/siloscale/devices/silo-1/telemetry', readings);
      await api.post('/v1/siloscale/devices/silo-2/telemetry', [
        { ts: NOW_MS - 2 * HOUR_MS, weight: 500, temperature: 900 },
        { ts: NOW_MS - 2 * HOUR_MS + 1, weight: 500, temperature: 20 },
        { ts: NOW_MS - HOUR_MS, temperature: 900 },
      ]);
    });

    test('a day of 25 hours has 25 readings, and the others have 24', async () => {
      const query = `${DAYS}&sensor=weight&aggregate=count&tz=Europe/Berlin`;
      assert.deepEqual(await lines(query), [
        'device_id,sensor,timestamp,value,unit,quality,date',
        'silo-1,weight,2026-10-23T22:00:00.000Z,24,count,good,2026-10-24',
        'silo-1,weight,2026-10-24T22:00:00.000Z,25,count,good,2026-10-25',
        'silo-1,weight,2026-10-25T23:00:00.000Z,24,count,good,2026-10-26',
      ]);
      const utc = `${DAYS}&sensor=weight&aggregate=count`;
      assert.deepEqual(await columns(utc, 2, 3), [
        '2026-10-23T00:00:00.000Z 2',
        '2026-10-24T00:00:00.000Z 24',
        '2026-10-25T00:00:00.000Z 24',
        '2026-10-26T00:00:00.000Z 23',
      ]);
    });

    test('days that begin with half an hour are made of five minutes', async () => {
      const counts = await columns(`${DAYS}&sensor=weight&aggregate=count&tz=Asia/Kolkata`, 2, 3, 6);
      assert.deepEqual(counts, [
        '2026-10-23T18:30:00.000Z 20 2026-10-24',
        '2026-10-24T18:30:00.000Z 24 2026-10-25',
        '2026-10-25T18:30:00.000Z 24 2026-10-26',
        '2026-10-26T18:30:00.000Z 5 2026-10-27',
      ]);
    });

    test('only days that begin in the range are shown, whole', async () => {
      const range = 'from=2026-10-24T22:00:00Z&to=2026-10-25T23:00:00Z';
      const query = `${range}&interval=1d&sensor=weight&aggregate=last&tz=Europe/Berlin&device_id=silo-1`;
      assert.deepEqual(await columns(query, 6, 3), ['2026-10-25 148']);
    });

    test('the history of one device has the same days', async () => {
      const path = '/v1/siloscale/devices/silo-1/sensors/history';
      const { body } = await api.get(`${path}?${RANGE}&interval=1d&tz=Europe/Berlin&unit=kg&aggregate=max`);
      assert.deepEqual(body.data, {
        sensor: 'level',
        interval: '1d',
        unit: 'kg',
        tz: 'Europe/Berlin',
        points: [
          { timestamp: '2026-10-23T22:00:00.000Z', value: 123, date: '2026-10-24' },
          { timestamp: '2026-10-24T22:00:00.000Z', value: 148, date: '2026-10-25' },
          { timestamp: '2026-10-25T23:00:00.000Z', value: 172, date: '2026-10-26' },
        ],
      });
      const csv = await api.get(`${path}?${RANGE}&interval=1d&tz=Europe/Berlin`, { accept: 'text/csv' });
      assert.equal(linesOf(csv.text)[1], '2026-10-23T22:00:00.000Z,11.15,2026-10-24');
      const percent = await api.get(`${path}?${RANGE}&interval=1d&unit=percent&aggregate=max`);
      assert.equal(percent.body.data.points[0].value, 10.1);
      for (const [query, where] of [
        ['tz=Berlin&interval=1d', '/tz'],
        ['tz=Europe/Berlin', '/tz'],
        ['sensor=humidity&unit=kg', '/unit'],
      ] as const) {
        assert.equal((await api.get(`${path}?${query}`)).body.error.details[0].path, where, query);
      }
    });

    test('implausible readings are marked, and are in no value', async () => {
      const query = `device_id=silo-2&from=2026-10-27T20:00:00Z&sensor=temperature`;
      assert.deepEqual(await columns(query, 2, 3, 4, 5), [
        '2026-10-27T22:00:00.000Z 20 celsius uncertain',
        '2026-10-27T23:00:00.000Z  celsius bad',
      ]);
      const { text } = await api.get(`/v1/history?${query}&format=ndjson&aggregate=bad_count`);
      const rows = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        rows.map(({ value, unit, quality }) => [value, unit, quality]),
        [
          [1, 'count', 'uncertain'],
          [1, 'count', 'bad'],
        ],
      );
      const [, bad] = (await api.get(`/v1/history?${query}&format=ndjson`)).text.trim().split('\n');
      assert.equal(JSON.parse(bad ?? '').value, null);
    });

    test('a range of all time costs what is stored, and every interval is complete', async () => {
      const all = 'from=0001-01-01T00:00:00Z&to=9999-12-31T00:00:00Z&device_id=silo-1&sensor=weight';
      assert.equal((await columns(`${all}&interval=5m`, 3)).length, HOURS);
      assert.equal((await columns(`${all}&interval=1h`, 3)).length, HOURS);
      assert.equal((await columns(`${all}&interval=1d`, 3)).length, 4);
      assert.equal((await columns(`${all}&interval=1d&tz=Australia/Lord_Howe`, 3)).length, 4);
    });

    test('all devices, one after the other, with the contents in percent', async () => {
      const rows = await columns(`${RANGE}&interval=1d&aggregate=last&unit=percent`, 0, 1, 3, 4);
      assert.deepEqual(rows.slice(3), [
        'silo-1 level 17.2 percent',
        'silo-2 level 50 percent',
        'silo-2 temperature 20 celsius',
      ]);
    });
  },
  {},
  { now: () => NOW_MS },
);
