import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createClient } from '@granary/client';
import { startFarm } from '@granary/testing/cli/farm';
import { runInProcess } from '@granary/testing/cli/in-process';

interface Mission {
  readonly mission_id: string;
  readonly status: string;
}

test('the commands for rovers, missions, configuration, maintenance and notification rules', async (t) => {
  const farm = await startFarm(t);
  const { GRANARY_URL: baseUrl = '', GRANARY_API_KEY: apiKey = '' } = farm.access;
  const client = createClient({ baseUrl, apiKey });
  const { latitude, longitude } = (await client.fieldReadings.location('rover-02')).coordinates;
  assert.ok(latitude !== null && longitude !== null);
  const folder = dirname(farm.settings['GRANARY_DATA_DIR'] ?? '');
  const missionOf = async (id: string): Promise<Mission> => await client.missions.get('rover-02', id);

  await t.test('a rover is moved with a confirmation only, and the command waits for its end', async () => {
    const move = ['command', 'move', 'rover-01', '48.2', 'east'];
    assert.match(await farm.run(move, 2), /a number with a decimal point/);
    const { coordinates } = await client.fieldReadings.location('rover-01');
    const there = [String(coordinates.latitude), String(coordinates.longitude)];
    assert.match(await farm.run(['command', 'move', 'rover-01', ...there], 5), /needs a confirmation/);
    assert.match(
      await farm.run(['command', 'move', 'rover-01', ...there, '--yes']),
      /\nMove to coordinates succeeded: /,
    );
    assert.match(await farm.run(['command', 'hold', 'rover-01']), /Hold succeeded: /);
    const sent = await farm.json<{ status: string }>('command', 'resume', 'rover-01', '--yes', '--no-wait');
    assert.match(sent.status, /sent|executing|succeeded/);
    for (const kind of ['scan', 'sample', 'return']) {
      assert.match(await farm.run(['command', kind, 'rover-01', '--yes']), /[A-Z][a-z ]+ succeeded: /, kind);
    }
    assert.match(
      await farm.run(['command', 'list', 'rover-01', '--status', 'succeeded']),
      /cmd_\w+ +move_to_coordinates +succeeded .* Ada\n/,
    );
    assert.match(await farm.run(['command', 'hold', 'weather-01'], 3), /\(409 not_supported\)/);
    assert.match(
      await farm.run(['command', 'declare-ended', 'rover-01', 'cmd_none', '--reason', 'r', '--yes'], 3),
      /command_not_found/,
    );
  });

  await t.test('a mission is planned, created, paused, resumed and cancelled, each confirmed', async () => {
    const here = `${latitude},${longitude}:wait=600`;
    assert.match(await farm.run(['missions', 'preflight', 'rover-02', here]), /battery +[\d.]+ % of \d/);
    assert.match(
      await farm.run(['missions', 'preflight', 'rover-02', '10,16.3'], 3),
      /would be refused now \((mission_infeasible|outside_geofence)\)/,
    );
    assert.match(await farm.run(['missions', 'preflight', 'rover-02'], 2), /name waypoints, or a file/);
    assert.match(
      await farm.run(['missions', 'create', 'rover-02', '48.2;16.3'], 2),
      /such as 48\.2001,16\.3:scan/,
    );
    assert.match(await farm.run(['missions', 'create', 'rover-02', here], 5), /needs a confirmation/);
    const file = join(folder, 'mission.yaml');
    writeFileSync(
      file,
      `waypoints: [{ lat: ${latitude}, lng: ${longitude}, action: wait, wait_seconds: 600 }]\n`,
    );
    const { mission_id: id } = await farm.json<Mission>(
      'missions',
      'create',
      'rover-02',
      '--file',
      file,
      '--name',
      'Wait',
      '--yes',
    );
    while ((await missionOf(id)).status !== 'in_progress');
    assert.match(await farm.run(['missions', 'pause', 'rover-02', id]), /status +paused: /);
    assert.equal((await missionOf(id)).status, 'paused');
    assert.match(await farm.run(['missions', 'resume', 'rover-02', id, '--yes']), /status +in_progress: /);
    assert.match(await farm.run(['missions', 'cancel', 'rover-02', id]), /status +cancelled: /);
    assert.equal((await missionOf(id)).status, 'cancelled');
    assert.match(await farm.run(['missions', 'pause', 'rover-02', id], 3), /mission_not_running/);
    assert.match(
      await farm.run(['missions', 'declare-ended', 'rover-02', id, '--reason', 'towed', '--yes'], 3),
      /cannot_declare_ended/,
    );
  });

  await t.test('a configuration is shown, changed by paths or a file, and not overwritten', async () => {
    assert.match(await farm.run(['config', 'get', 'silo-01']), /^thresholds:\n/m);
    assert.match(
      await farm.run(['config', 'get', 'silo-01', 'thresholds.no'], 2),
      /thresholds has no "no"\n {2}There are /,
    );
    assert.match(
      await farm.run(['config', 'set', 'silo-01', 'thresholds.low_level=33']),
      /^thresholds\.low_level: \d+ → 33\n/m,
    );
    assert.equal(await farm.run(['config', 'get', 'silo-01', 'thresholds.low_level']), '33\n');
    assert.match(
      await farm.run(['config', 'set', 'silo-01', 'thresholds.low_level'], 2),
      /is not path=value/,
    );
    assert.match(
      await farm.run(['config', 'set', 'silo-01', 'thresholds.low_level=30', '--if-match', '1'], 3),
      /stale_version/,
    );
    const input = { readInput: async () => '{"thresholds":{"low_level":31}}' };
    const { exitCode, stdout } = await runInProcess(
      ['config', 'set', 'silo-01', '--file', '-', '--json'],
      farm.access,
      input,
    );
    assert.equal(exitCode, 0);
    assert.equal(JSON.parse(stdout).thresholds.low_level, 31);
  });

  await t.test('maintenance begins and ends', async () => {
    assert.match(
      await farm.run(['maintenance', 'start', 'silo-04', '--reason', 'new motor', '--for', '2h']),
      /silo-04 is in maintenance until \d{4}-/,
    );
    assert.match(await farm.run(['device', 'show', 'silo-04']), /maintenance +new motor, until /);
    assert.match(await farm.run(['maintenance', 'end', 'silo-04']), /not in maintenance any more/);
    assert.match(await farm.run(['maintenance', 'start', 'silo-04'], 2), /required option '--reason/);
  });

  await t.test('a notification rule is added, listed, shown, tested and removed', async () => {
    const webhook = await client.webhooks.create({ url: 'https://granary.invalid/hook' });
    const target = ['--webhook', webhook.webhook_id];
    const add = ['notification-rules', 'add', '--name', 'Owner'];
    assert.match(await farm.run(add, 2), /--name and a target are missing/);
    assert.match(await farm.run([...add, ...target, '--type', 'rain'], 2), /there is no "rain"/);
    const added = await farm.run([...add, ...target, '--severity', 'critical']);
    const id = /^(nr_\w+) \(Owner\) is added/.exec(added)?.[1] ?? '';
    assert.match(
      await farm.run(['notification-rules', 'list']),
      new RegExp(`${id} +Owner +on +critical +${webhook.webhook_id}`),
    );
    assert.match(await farm.run(['notification-rules', 'show', id]), /severity_min: critical/);
    assert.match(await farm.run(['notification-rules', 'test', id]), new RegExp(`^${webhook.webhook_id} `));
    assert.match(await farm.run(['notification-rules', 'remove', id], 5), /needs a confirmation/);
    assert.match(await farm.run(['notification-rules', 'remove', id, '--yes']), /is removed/);
    assert.equal(await farm.run(['notification-rules', 'list']), 'There are no notification rules.\n');
  });

  await t.test('an operation whose end is certain is not declared ended', async () => {
    assert.match(
      await farm.run(['operations', 'declare-ended', 'silo-01', 'op_none', '--reason', 'r'], 5),
      /needs a confirmation/,
    );
    assert.match(
      await farm.run(['operations', 'declare-ended', 'silo-01', 'op_none', '--reason', 'r', '--yes'], 3),
      /operation_not_found/,
    );
  });
});
