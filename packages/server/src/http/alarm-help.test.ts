import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ALARM_HELP_MAX } from '@granary/contract/alarm-help';
import { type Api, describeService, siloNamed } from '@granary/testing/server/service';

const HELP = { cause: 'The auger jams.', consequence: 'No feed.', action: 'Call the smith.' };

describeService('texts of a site about its alerts', (api) => {
  let north: Api;
  let ofDevice: Api;
  let operator: Api;
  const listed = async (as: Api): Promise<string[]> =>
    (await as.get('/v1/alarm-help')).body.data.map(
      (help: { alert_type: string; facility: string | null; rule: string | null }) =>
        [help.alert_type, help.facility, help.rule].join('/'),
    );

  before(async () => {
    await api.post('/v1/siloscale/devices', siloNamed('silo-n', 'north'));
    const keyOf = async (body: object) =>
      api.as((await api.post('/v1/keys', { name: 'k', ...body })).body.data.key);
    north = await keyOf({ scopes: ['read', 'configure'], facilities: ['north'] });
    ofDevice = await keyOf({ scopes: ['read', 'configure'], device_ids: ['silo-n'] });
    operator = await keyOf({ scopes: ['read', 'operate'] });
  });

  test('are written, replaced and removed for all alerts of a type, a facility and a rule', async () => {
    const path = '/v1/alarm-help/sensor_threshold';
    const rule = '?rule=temp_3%20above%20warning';
    for (const place of ['', '?facility=north', '?facility=south', rule, `${rule}&facility=north`]) {
      const { status, text } = await api.put(`${path}${place}`, HELP);
      assert.equal(status, 200, text);
    }
    const again = (await api.put(path, { ...HELP, action: 'Wait.' }, { 'x-actor': 'Ada' })).body.data;
    assert.deepEqual([again.action, again.updated_by.actor], ['Wait.', 'Ada']);
    assert.deepEqual(await listed(api), [
      'sensor_threshold//',
      'sensor_threshold/north/',
      'sensor_threshold/south/',
      'sensor_threshold//temp_3 above warning',
      'sensor_threshold/north/temp_3 above warning',
    ]);
    assert.equal(
      (await listed(north)).some((one) => one.includes('south')),
      false,
    );
    assert.deepEqual(await listed(ofDevice), await listed(north));
    assert.equal((await api.delete(path)).body.data.action, 'Wait.');
    assert.equal((await api.delete(path)).body.error.code, 'alarm_help_not_found');
    assert.equal((await listed(operator)).length, 4);
  });

  test('are refused beyond the limits and scopes of a key, and where they make no sense', async () => {
    for (const [key, address, code] of [
      [operator, 'low_level', 'forbidden'],
      [north, 'low_level', 'forbidden'],
      [north, 'low_level?facility=south', 'forbidden'],
      [ofDevice, 'low_level?facility=north', 'forbidden'],
      [north, 'low_level?facility=north', undefined],
      [api, 'low_level?rule=temp_3%20above%20warning', 'invalid_input'],
      [api, 'sensor_threshold?rule=temp_3', 'invalid_input'],
      [api, 'weather', 'alarm_help_not_found'],
    ] as const) {
      const { body } = await key.put(`/v1/alarm-help/${address}`, HELP);
      assert.equal(body.error?.code, code, address);
    }
    const { body } = await api.put('/v1/alarm-help/low_level', { ...HELP, cause: ' '.repeat(1_001) });
    assert.equal(body.error.details[0].path, '/cause');
  });

  test('are refused beyond the number that a site can have, but those that exist can be changed', async () => {
    const put = async (at: number) => await api.put(`/v1/alarm-help/low_level?facility=f-${at}`, HELP);
    const rest = ALARM_HELP_MAX - (await readAll()).length;
    for (let at = 0; at < rest; at += 20) {
      const some = Array.from(
        { length: Math.min(20, rest - at) },
        async (_, offset) => await put(at + offset),
      );
      for (const { status, text } of await Promise.all(some)) assert.equal(status, 200, text);
    }
    assert.equal((await put(rest)).body.error.code, 'alarm_help_limit_reached');
    assert.equal((await put(0)).status, 200);
    assert.equal((await readAll()).length, ALARM_HELP_MAX);
  });

  async function readAll(): Promise<unknown[]> {
    const all: unknown[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await api.get(`/v1/alarm-help?limit=200${cursor}`);
      all.push(...body.data);
      if (body.page.next_cursor === null) return all;
      cursor = `&cursor=${body.page.next_cursor}`;
    }
  }
});
