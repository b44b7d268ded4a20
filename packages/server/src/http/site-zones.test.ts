import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Api, describeService, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';
const DAY = 'period=daily&date=2026-03-29';

describeService('the clocks of a site', (api) => {
  let south: Api;

  before(async () => {
    for (const [id, facility, zone] of [
      ['silo-n1', 'north', 'Europe/Berlin'],
      ['silo-n2', 'north', 'Europe/Berlin'],
      ['silo-n3', 'north', undefined],
      ['silo-s', 'south', 'America/Chicago'],
      ['silo-w', 'west', undefined],
    ] as const) {
      await api.post(SILOS, siloNamed(id, facility));
      if (zone === undefined) continue;
      const { status, text } = await api.put(`${SILOS}/${id}/config`, { time_zone: zone });
      assert.equal(status, 200, text);
    }
    const wanted = { name: 'k', scopes: ['read'], facilities: ['south'] };
    south = api.as((await api.post('/v1/keys', wanted)).body.data.key);
  });

  test('are those that its silos name, and of every facility that a key may see', async () => {
    const zones = async (as: Api) => (await as.get('/v1/overview/time-zones')).body.data;
    const ofSouth = { facility: 'south', time_zones: ['America/Chicago'] };
    assert.deepEqual(await zones(api), {
      service: 'UTC',
      facilities: [{ facility: 'north', time_zones: ['Europe/Berlin'] }, ofSouth],
    });
    assert.deepEqual(await zones(south), { service: 'UTC', facilities: [ofSouth] });
  });

  test('are those of its reports, whose days are local ones of 23 and 25 hours, too', async () => {
    const report = async (query: string, as: Api = api) => {
      const { body } = await as.get(`/v1/reports?period=daily&${query}`);
      return [body.data.time_zone, body.data.from, body.data.to];
    };
    assert.deepEqual(await report('facility=north&date=2026-03-29'), [
      'Europe/Berlin',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    assert.deepEqual(await report('date=2025-11-02', south), [
      'America/Chicago',
      '2025-11-02T05:00:00.000Z',
      '2025-11-03T06:00:00.000Z',
    ]);
    assert.equal((await report('facility=west&date=2026-03-29'))[0], 'UTC', 'that of the service');
    assert.equal((await report('facility=north&tz=Asia/Tokyo&date=2026-03-29'))[0], 'Asia/Tokyo', 'as asked');
    const { text } = await api.get(`/v1/reports?facility=north&format=html&${DAY}`);
    assert.match(text, /times of Berlin/);
  });

  test('are those of its shifts', async () => {
    const shift = async (query: string) => {
      const { data } = (await api.get(`/v1/shift-report?${query}&to=2026-03-29T03:59:00Z`)).body;
      return [data.time_zone, data.from];
    };
    assert.deepEqual(await shift('facility=north'), ['Europe/Berlin', '2026-03-28T21:00:00.000Z']);
    assert.deepEqual(await shift('facility=south'), ['America/Chicago', '2026-03-29T03:00:00.000Z']);
    assert.deepEqual(await shift('facility=west'), ['UTC', '2026-03-28T22:00:00.000Z']);
    const { data } = (await api.get('/v1/shift-report?facility=north')).body;
    assert.deepEqual(data.shift_starts, ['06:00', '14:00', '22:00']);
    assert.deepEqual(await shift('tz=Europe/Berlin'), ['Europe/Berlin', '2026-03-28T21:00:00.000Z']);
  });

  test('are asked for where its silos are in several zones, and never taken to be UTC', async () => {
    const fault = async (
      answer: Promise<{ readonly status: number; readonly body: { error?: { details: unknown[] } } }>,
    ) => {
      const { status, body } = await answer;
      const { path, message } = (body.error?.details[0] ?? {}) as { path?: string; message?: string };
      return [status, path, message];
    };
    const several =
      'must be one of America/Chicago, Europe/Berlin: the silos there are in several time zones';
    assert.deepEqual(await fault(api.get(`/v1/reports?${DAY}`)), [400, '/tz', several]);
    assert.deepEqual(await fault(api.get('/v1/shift-report')), [400, '/tz', several]);
    const schedule = { name: 'Morning', period: 'daily', recipients: ['a@example.com'] };
    assert.deepEqual(await fault(api.post('/v1/report-schedules', schedule)), [400, '/time_zone', several]);
    const wrong = 'must be a time zone such as Europe/Berlin';
    assert.deepEqual(await fault(api.get('/v1/shift-report?tz=Mars')), [400, '/tz', wrong]);
    assert.deepEqual(await fault(api.get(`/v1/reports?tz=Mars&${DAY}`)), [400, '/tz', wrong]);
  });

  test('follow the configurations and the removal of silos', async () => {
    const northern = async () =>
      (await api.get('/v1/overview/time-zones')).body.data.facilities.find(
        ({ facility }: { readonly facility: string }) => facility === 'north',
      )?.time_zones;
    await api.put(`${SILOS}/silo-n3/config`, { time_zone: 'Europe/Warsaw' });
    assert.deepEqual(await northern(), ['Europe/Berlin', 'Europe/Warsaw']);
    await api.put(`${SILOS}/silo-n3/config`, { time_zone: null });
    assert.deepEqual(await northern(), ['Europe/Berlin']);
    await api.delete(`${SILOS}/silo-n1`);
    await api.delete(`${SILOS}/silo-n2`);
    assert.equal(await northern(), undefined);
  });
});
