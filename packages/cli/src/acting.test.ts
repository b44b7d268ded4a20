import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFarm } from '@granary/testing/cli/farm';
import { GRANARY, granary } from '@granary/testing/cli/granary-process';
import { CTRL_C, ENTER, onTerminal } from '@granary/testing/cli/terminal-process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

interface Operation {
  readonly status: string;
  readonly ended_at: string | null;
  readonly requested_by: { readonly actor: string };
}

test('the commands that move material and vehicles', async (t) => {
  const farm = await startFarm(t);
  const terminal = { env: farm.access };
  const LONG = ['discharge', 'silo-01', '200', '--to', 'cart', '--rate', '60'];

  await t.test('without a terminal nothing moves without --yes', async () => {
    assert.match(await farm.run(LONG, 5), /needs a confirmation.*\n {2}Add --yes/);
    assert.equal(await farm.run(['stop', 'silo-01']), 'Nothing runs on silo-01.\n');
    assert.match(await farm.run(['feed', 'silo-01', '900t', '--yes'], 3), /\(422 insufficient_capacity\)/);
    assert.match(await farm.run(['feed', 'silo-01', '5st'], 2), /The unit is one of kg, t, lb, g/);
    for (const amount of ['1e99', '1.2.3', '-5', 'much', '.']) {
      assert.match(
        await farm.run(['feed', 'silo-01', '--', amount], 2),
        /a number above 0 in digits, such as/,
      );
    }
    assert.match(
      await farm.run(['feed', 'silo-01', '12,5'], 2),
      /Write a decimal point instead of the comma/,
    );
    assert.match(await farm.run(['feed', 'silo-01', '0'], 2), /It must be a number above 0\n/);
  });

  await t.test('a discharge shows its effect, asks, and is followed to its end', async () => {
    const child = onTerminal(t, ['discharge', 'silo-02', '2', '--to', 'cart'], { ...terminal, columns: 60 });
    await child.shown(/after +[\d.]+ kg, [\d.]+ %[\s\S]*Start\? \[y\/N\] $/);
    child.type(`y${ENTER}`);
    assert.equal(await child.exited, 0, child.text);
    assert.match(child.text, /[FD]\w+ 2 kg.* has started\. Ctrl\+C stops it\./);
    assert.match(child.text, /[FD]\w+ 2 kg.* completed: 2 kg reported/);
    const declined = onTerminal(t, LONG, terminal);
    await declined.shown(/Start\?/);
    declined.type(ENTER);
    assert.equal(await declined.exited, 5);
  });

  await t.test('Ctrl+C asks, the answer stops the operation, and its end is confirmed', async () => {
    const child = onTerminal(t, [...LONG, '--yes'], terminal);
    await child.shown(/\[.*\] \d+ % [\d.]+ of 200 kg in_progress/);
    child.type(CTRL_C);
    await child.shown(/Stop it\?/);
    child.type(`c${ENTER}`);
    await child.shown(/watching\] c[\s\S]*of 200 kg in_progress/);
    child.type(CTRL_C);
    await child.shown(/Stop it\?[\s\S]*Stop it\?/);
    child.type(CTRL_C);
    assert.equal(await child.exited, 130, child.text);
    assert.match(child.text, /Discharge 200 kg into \w+ stopped: [\d.]+ kg reported/);
    const [newest] = await farm.json<Operation[]>('stop', 'silo-01');
    assert.equal(newest, undefined);
  });

  await t.test('a detached operation is stopped by its device alone', async () => {
    const started = await farm.json<{ operation_id: string }>(...LONG, '--yes', '--detach');
    const shown = await farm.json<{ jobs: Operation[] }>('device', 'show', 'silo-01');
    assert.equal(shown.jobs[0]?.requested_by.actor, 'Ada');
    const LISTED = new RegExp(
      `${started.operation_id} +silo-01 +.+, .+ +discharge +\\w+ +[\\d.]+ of 200 kg .* Ada`,
    );
    assert.match(await farm.run(['operations', '--device', 'silo-01']), LISTED);
    assert.equal(await farm.run(['operations', '--facility', 'nowhere']), 'There are no such operations.\n');
    assert.match(await farm.run(['stop', 'silo-01']), /^Discharge 200 kg into cart stopped: /);
    const [newest] = await farm.json<Operation[]>('operations', '--status', 'stopped');
    assert.notEqual(newest?.ended_at, null);
  });

  await t.test('an agent over standard input proposes, and a person confirms or refuses', async () => {
    const { key } = await farm.json<{ key: string }>(
      'keys',
      'create',
      '--name',
      'agent',
      '--scope',
      'read',
      '--scope',
      'propose',
    );
    const client = new Client({ name: 'tester', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const env = { ...farm.access, GRANARY_API_KEY: key };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [GRANARY, 'mcp'], env }),
    );
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'proposals_discharge'));
    const propose = async (): Promise<string> => {
      const wanted = { device_id: 'silo-04', amount: 2, target_container: 'cart' };
      const { content } = await client.callTool({ name: 'proposals_discharge', arguments: wanted });
      return JSON.parse(Object(content)[0].text).data.proposal_id;
    };
    const first = await propose();
    assert.match(
      await farm.run(['proposals', 'list', '--status', 'open']),
      new RegExp(`${first} +silo-04 +discharge 2 kg into cart +open .* tester, agent`),
    );
    assert.match(await farm.run(['proposals', 'confirm', first], 5), /needs a confirmation/);
    const started = await farm.run(['proposals', 'confirm', first, '--yes']);
    assert.match(started, /is confirmed; op_\w+ has started on silo-04\./);
    assert.match(await farm.run(['proposals', 'confirm', first, '--yes'], 3), /there is no open proposal/);
    await farm.run(['stop', 'silo-04']);
    const second = await propose();
    assert.match(await farm.run(['proposals', 'refuse', second, '--reason', 'later']), /nothing was started/);
    await client.close();
  });

  await t.test('a restart of the service during the progress is survived and shown', async () => {
    const child = granary(
      t,
      ['discharge', 'silo-03', '12', '--to', 'cart', '--rate', '60', '--yes'],
      farm.access,
    );
    await child.printed(/in_progress/);
    await farm.killService();
    await child.printed(/The service does not answer; the device goes on by itself/);
    assert.match(await farm.run(['devices'], 4), /cannot reach .*\n {2}Is the service running/);
    await farm.startAgain();
    await child.printed(/The service answers again/);
    assert.equal(await child.exited, 0, child.stderr);
    assert.match(child.stdout, /[FD]\w+ 12 kg.* completed: 12 kg reported/);
  });

  await t.test('a field device is stopped at once, and released only with a confirmation', async () => {
    assert.match(
      await farm.run(['stop', 'rover-01']),
      /rover-01 stands still: the emergency stop is confirmed/,
    );
    assert.match(await farm.run(['device', 'show', 'rover-01']), /emergency stop +in force, confirmed/);
    assert.match(await farm.run(['release', 'rover-01'], 5), /needs a confirmation/);
    assert.match(await farm.run(['release', 'rover-01', '--yes']), /\nRelease emergency stop succeeded: /);
    assert.match(await farm.run(['stop', 'weather-01'], 3), /\(409 not_supported\)/);
    assert.match(await farm.run(['stop', 'nobody'], 3), /there is no device "nobody"/);
    const nowhere = ['stop', 'rover-01', '--url', 'http://127.0.0.1:1', '--timeout', '0s'];
    assert.match(
      await farm.run(nowhere, 4),
      /NOT CONFIRMED after \d+ s: cannot reach http:\/\/127\.0\.0\.1:1: .*\n {2}Press the stop at the device/,
    );
  });
});
