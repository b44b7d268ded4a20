import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFarm } from '@granary/testing/cli/farm';
import { granary } from '@granary/testing/cli/granary-process';
import { runInProcess } from '@granary/testing/cli/in-process';
import { onTerminal } from '@granary/testing/cli/terminal-process';

test('the commands that read a farm', async (t) => {
  const farm = await startFarm(t);

  await t.test('devices: filters, and a device with its values', async () => {
    const silos = await farm.json<{ device_id: string; group: string }[]>('devices', '--kind', 'silo');
    assert.equal(silos.length, 13);
    assert.match(await farm.run(['devices', '--q', 'rover-01']), /^DEVICE .*\nrover-01 .* battery \d+ %/);
    assert.equal(await farm.run(['devices', '--facility', 'nowhere']), 'There are no such devices.\n');
    const shown = await farm.run(['device', 'show', 'silo-01']);
    assert.match(shown, /^device +silo-01\n[\s\S]*\nlevel +[\d.]+ %, \d+ s ago\n/);
    const lines = (
      await farm.run(['device', 'watch', 'rover-01', '--interval', '0.1', '--count', '2', '--json'])
    )
      .trim()
      .split('\n');
    assert.equal(lines.length, 2);
    assert.match(
      await farm.run(['device', 'show', 'silo'], 3),
      /there is no device "silo".*\n {2}`granary devices`/,
    );
    assert.match(await farm.run(['device', 'show', 'Silo_1'], 3), /"Silo_1".*; did you mean silo-01\?/);
  });

  await t.test('device add, edit and remove', async () => {
    const place = ['--facility', 'F', '--zone', 'Z', '--model', 'M', '--name', 'New'];
    assert.match(
      await farm.run(['device', 'add', '--id', 'rover-9', '--kind', 'field', ...place]),
      /^username {2}rover-9\nsecret /,
    );
    assert.match(
      await farm.run(['device', 'edit', 'rover-9', '--name', 'Old']),
      /rover-9 is changed: name\./,
    );
    assert.match(await farm.run(['device', 'edit', 'rover-9'], 2), /there is nothing to change/);
    assert.match(await farm.run(['device', 'remove', 'rover-9'], 5), /needs a confirmation.*\n {2}Add --yes/);
    assert.match(await farm.run(['device', 'remove', 'rover-9', '--yes']), /rover-9 is removed/);
    assert.equal((await farm.json<unknown[]>('devices', '--removed')).length, 1);
    assert.match(
      await farm.run(['device', 'restore', 'rover-9']),
      /rover-9 is back with its records\.\n\nusername {2}rover-9\nsecret /,
    );
    assert.match(await farm.run(['device', 'restore', 'rover-9'], 3), /rover-9 was not removed/);
    assert.match(await farm.run(['device', 'restore', 'nobody'], 3), /there is no device "nobody"/);
    assert.match(await farm.run(['device', 'show', 'rover-9']), /Old/);
    assert.match(
      await farm.run(['device', 'remove', 'rover-9', '--yes']),
      /"granary device restore rover-9" brings it back/,
    );
    assert.match(
      await farm.run(['device', 'show', 'rover-9'], 3),
      /it was removed, and granary device restore rover-9 brings it back/,
    );
  });

  await t.test('history as table, CSV, chart and JSON', async () => {
    assert.match(
      await farm.run(['history', 'silo-01', 'level', '--interval', '5m']),
      /^TIME +LEVEL\n\d{4}-\S+ +\d+(\.\d\d?)? %\n/,
    );
    assert.match(
      await farm.run([
        'history',
        'silo-01',
        'level',
        '--unit',
        'kg',
        '--since',
        '2026-01-01',
        '--interval',
        '1d',
      ]),
      / +\d+(\.\d\d?)? kg\n/,
    );
    assert.match(
      await farm.run(['history', 'silo-01', 'weight'], 2),
      /Try granary history silo-01 level --unit kg/,
    );
    assert.match(
      await farm.run(['history', 'silo-01', 'level', '--csv']),
      /^timestamp,value\n\d{4}-\S+Z,[\d.]+\n/,
    );
    assert.equal(
      (await farm.json<{ sensor: string }>('history', 'rover-01', 'battery_level')).sensor,
      'battery_level',
    );
    const chart = onTerminal(t, ['history', 'silo-01', 'level', '--chart'], {
      columns: 40,
      env: { ...farm.access, LC_ALL: 'C' },
    });
    assert.equal(await chart.exited, 0);
    assert.match(chart.text, /^level, 1h\n[\d.]+ \|/);
    for (const line of chart.text.split('\n')) assert.ok(line.length <= 40, line);
    assert.match(
      await farm.run(['history', 'silo-01', '--since', 'long'], 2),
      /It must be a duration such as/,
    );
  });

  await t.test('an export waits for its reader after each line', async () => {
    let waiting = 0;
    let lines = 0;
    const environment = {
      print: () => {
        lines += 1;
        waiting += 1;
        assert.equal(waiting, 1);
      },
      taken: async () => {
        waiting = 0;
      },
    };
    const args = ['export', 'readings', '--device', 'silo-01', '--sensor', 'weight'];
    const { exitCode, stderr } = await runInProcess(args, farm.access, environment);
    assert.deepEqual([exitCode, stderr], [0, '']);
    assert.ok(lines >= 2, `${lines} lines`);
  });

  await t.test('a report is text, a table for programs and a page', async () => {
    const text = await farm.run(['report', '--tz', 'UTC', '--facility', 'Hillside Farm']);
    assert.match(text, /^Daily report, .*, Hillside Farm\n/);
    assert.match(text, /^SILO +BEGIN +IN +USED +END +ORDER BY$/m);
    const weekly = await farm.json<{ days: object[] }>('report', '--period', 'weekly');
    assert.equal(weekly.days.length, 7);
    assert.match(await farm.run(['report', '--csv']), /^first_date,last_date,device_id,/);
    assert.match(await farm.run(['report', '--html', '--language', 'de']), /<h1[^>]*>Tagesbericht/);
    assert.match(await farm.run(['report', '--date', '2026-02-30'], 3), /invalid_input/);
    assert.match(await farm.run(['report', '--period', 'yearly'], 2), /daily, weekly, monthly/);
  });

  await t.test('notes and handovers are written, listed, removed and acknowledged', async () => {
    const note = await farm.json<{ note_id: string; at: string }>(
      'note',
      'add',
      'noisy\nauger',
      '--device',
      'silo-01',
      '--at',
      '2h',
    );
    assert.ok(Math.abs(Date.now() - 7_200_000 - Date.parse(note.at)) < 60_000);
    const listed = await farm.run(['note', 'list', '--device', 'silo-01', '--since', '3h']);
    assert.match(listed, new RegExp(`^NOTE .*\n${note.note_id} .* silo-01 +Ada +noisy`));
    assert.equal(listed.trim().split('\n').length, 2, 'a note is one line of the table');
    assert.equal(await farm.run(['note', 'list', '--since', '1h']), 'There are no such notes.\n');
    assert.match(await farm.run(['note', 'add', 'x'], 2), /say --device or --facility/);
    const both = ['note', 'add', 'x', '--device', 'silo-01', '--facility', 'F'];
    assert.match(await farm.run(both, 2), /say --device or --facility/);
    assert.match(await farm.run(['note', 'add', 'x', '--device', 'nobody'], 3), /device_not_found/);
    assert.equal(await farm.run(['note', 'remove', note.note_id]), `${note.note_id} is removed.\n`);
    assert.match(await farm.run(['note', 'remove', note.note_id], 3), /note_not_found/);

    const place = ['--facility', 'Hillside Farm'];
    const written = await farm.json<{ handover_id: string; from: string; facility: string }>(
      'handover',
      'write',
      'Silo 7 is low.',
      ...place,
      '--since',
      '8h',
    );
    assert.equal(written.facility, 'Hillside Farm');
    assert.ok(Math.abs(Date.now() - 8 * 3_600_000 - Date.parse(written.from)) < 60_000);
    const { handover_id: id } = written;
    assert.match(await farm.run(['handover', 'write', 'quiet']), /waits for its acknowledgement/);
    assert.match(await farm.run(['handover', 'list', '--waiting', ...place]), / all +Ada +waits +quiet\n/);
    assert.equal(
      await farm.run(['handover', 'acknowledge', id], 0, { GRANARY_ACTOR: 'Bob' }),
      `${id} was acknowledged by Bob.\n`,
    );
    assert.equal(await farm.run(['handover', 'acknowledge', id]), `${id} was acknowledged by Bob.\n`);
    assert.ok(!(await farm.run(['handover', 'list', '--waiting'])).includes(id));
    assert.match(await farm.run(['handover', 'acknowledge', 'ho_none'], 3), /handover_not_found/);
    assert.match(await farm.run(['handover', 'write', 'x', '--since', '30d'], 3), /invalid_input/);
  });

  await t.test('alerts are listed, acknowledged, shelved and put back', async () => {
    await farm.run(['device', 'edit', 'silo-02', '--capacity', '100000']);
    let alerts: { alert_id: string; device_id: string }[] = [];
    while (alerts.length === 0) alerts = await farm.json('alerts', '--device', 'silo-02');
    const statistics = await farm.json<{ raised: { total: number } }>(
      'alerts',
      'statistics',
      '--since',
      '24h',
    );
    assert.ok(statistics.raised.total > 0);
    assert.match(await farm.run(['alerts', 'statistics']), /per hour[\s\S]*silo-02/);
    const [{ alert_id: id } = { alert_id: '' }] = alerts;
    assert.equal(await farm.run(['ack', id, '--note', 'seen']), `${id} acknowledged\n`);
    const [acknowledged] = await farm.json<{ acknowledged_by: string }[]>(
      'alerts',
      '--device',
      'silo-02',
      '--status',
      'acknowledged',
    );
    assert.equal(acknowledged?.acknowledged_by, 'Ada');
    assert.match(await farm.run(['shelve', id, '--for', '2h', '--reason', 'known']), /is shelved until/);
    assert.equal(
      await farm.run(['alerts', '--device', 'silo-02', '--severity', 'info']),
      'There are no such alerts.\n',
    );
    assert.match(await farm.run(['unshelve', id]), /in the usual list again/);
    assert.match(await farm.run(['ack', 'al_none'], 3), /some alerts were not found/);
  });

  await t.test('the connection of a device, and its messages that could not be used', async () => {
    assert.match(
      await farm.run(['device', 'link', 'rover-01']),
      /^connected +yes, since .*, from 127\.0\.0\.1\n[\s\S]*commands +subscribed\n/,
    );
    assert.equal(await farm.run(['device', 'rejections', 'rover-01']), 'All its messages could be used.\n');
    assert.equal((await farm.json<{ total: number }>('device', 'rejections', 'silo-01')).total, 0);
  });

  await t.test('events are followed from a number, and the audit log says who', async () => {
    const lines = (await farm.run(['events', 'tail', '--after', '0', '--count', '3', '--json']))
      .trim()
      .split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).id),
      [1, 2, 3],
    );
    assert.match(
      await farm.run(['events', 'tail', '--type', 'rain'], 2),
      /--type: there is no "rain"\n {2}There are device\.registered/,
    );
    assert.match(
      await farm.run(['audit', '--action', 'devices.remove']),
      /Ada +devices\.remove +rover-9 .*done/,
    );
    assert.equal(await farm.run(['missions']), 'There are no such missions.\n');
  });

  await t.test('a list that is not whole says so, beside what a program reads', async () => {
    const lists = [
      ['audit', '--limit', '1'],
      ['note', 'list', '--limit', '1'],
    ];
    for (const text of ['first', 'second']) await farm.run(['note', 'add', text, '--device', 'silo-01']);
    for (const list of lists) {
      const { stdout, stderr } = await runInProcess([...list, '--json'], farm.access);
      assert.equal(JSON.parse(stdout).length, 1);
      assert.match(stderr, /^granary: there are more; --limit lists more of them/);
    }
    const whole = await runInProcess(['note', 'list', '--limit', '1000'], farm.access);
    assert.equal(whole.stderr, '');
  });

  await t.test('a revoked key, a missing scope and a closed pipe', async () => {
    const { key, key_id } = await farm.json<{ key: string; key_id: string }>(
      'keys',
      'create',
      '--name',
      'n',
      '--scope',
      'read',
    );
    const limited = { GRANARY_API_KEY: key };
    assert.match(
      await farm.run(['keys', 'list'], 3, limited),
      /\(403 forbidden\)\n {2}Use a key with the scope/,
    );
    await farm.run(['keys', 'revoke', key_id]);
    assert.match(
      await farm.run(['devices'], 3, limited),
      /\(401 unauthorized\)\n {2}The key is unknown, revoked or expired/,
    );
    const tail = granary(t, ['events', 'tail', '--after', '0'], farm.access);
    await tail.printed(/device\.registered/);
    tail.closeOutput();
    await farm.run(['device', 'edit', 'silo-03', '--name', 'Other']);
    assert.equal(await tail.exited, 0, tail.stderr);
  });
});
