import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { granary, serviceEnv } from '@granary/testing/cli/granary-process';
import { runInProcess } from '@granary/testing/cli/in-process';
import { validatedUrl } from '@granary/testing/server/validated-url';

type Env = Readonly<Record<string, string>>;

async function startService(t: TestContext) {
  const settings = await serviceEnv(t);
  const service = granary(t, ['serve'], { ...settings, GRANARY_LOG_LEVEL: 'silent' });
  const key = await service.adminKey();
  const url = await service.printed(/HTTP +(http:\/\/\S+)/);
  const mqtt = await service.printed(/MQTT +(mqtt:\/\/\S+)/);
  const ports = { GRANARY_HTTP_PORT: new URL(url).port, GRANARY_MQTT_PORT: new URL(mqtt).port };
  const env = { ...settings, ...ports, GRANARY_API_KEY: key, GRANARY_ACTOR: 'Ada' };
  const runHere = async (args: readonly string[], exitCode = 0, more: Env = {}) => {
    const result = await runInProcess(args, { ...env, ...more });
    assert.equal(result.exitCode, exitCode, `${args.join(' ')}: ${result.stdout}${result.stderr}`);
    return result.stdout + result.stderr;
  };
  const address = { GRANARY_URL: await validatedUrl(t, url) };
  const run = (args: readonly string[], exitCode = 0) => runHere(args, exitCode, address);
  return { run, runHere, folder: dirname(settings['GRANARY_DATA_DIR'] ?? ''), service, url };
}

test('webhooks, documents of a site, and doctor against a service', async (t) => {
  const { run, runHere, folder, service, url } = await startService(t);

  await t.test('a webhook is added, shown, tested, replayed and removed', async () => {
    const added = await run(['webhooks', 'add', 'https://granary.invalid/hook', '--type', 'alert.raised']);
    const id = /webhook {2}(\S+)\nsecret {3}whsec_/.exec(added)?.[1] ?? '';
    assert.match(
      await run(['webhooks', 'list']),
      /wh_\w+ +https:\/\/granary\.invalid\/hook +alert\.raised +enabled/,
    );
    assert.match(await run(['webhooks', 'show', id]), /events +alert\.raised/);
    assert.match(await run(['webhooks', 'test', id], 1), /was not delivered/);
    assert.match(await run(['webhooks', 'deliveries', id]), /webhook\.test/);
    assert.match(await run(['webhooks', 'replay', id], 2), /say --from-event or --dead/);
    assert.match(await run(['webhooks', 'replay', id, '--dead']), /dead deliveries are sent again/);
    assert.match(await run(['webhooks', 'rotate-secret', id]), /^whsec_/);
    assert.match(await run(['webhooks', 'remove', id], 5), /needs a confirmation/);
    assert.match(await run(['webhooks', 'remove', id, '--yes']), /is removed/);
    assert.match(await run(['webhooks', 'show', id], 3), /webhook_not_found/);
    assert.match(
      await run(['webhooks', 'add', 'https://a.example', '--type', 'rain'], 2),
      /there is no "rain"/,
    );
  });

  await t.test('a document is exported, compared and applied', async () => {
    const place = ['--facility', 'F', '--zone', 'Z', '--model', 'M', '--name', 'First', '--capacity', '1000'];
    await run(['device', 'add', '--id', 'silo-1', ...place]);
    const file = join(folder, 'site.yaml');
    await run(['export', '--output', file]);
    assert.equal(await run(['apply', file]), 'To do: 0 to create, 0 to change, 1 unchanged.');
    writeFileSync(file, readFileSync(file, 'utf8').replace('First', 'Second'));
    const planned = await run(['apply', file, '--dry-run']);
    assert.match(planned, /~ silo-1 \/name: "First" → "Second"\n[\s\S]*To do: 0 to create, 1 to change/);
    assert.match(await run(['apply', file], 5), /needs a confirmation/);
    assert.match(await run(['device', 'show', 'silo-1']), /First/);
    assert.match(await run(['apply', file, '--yes']), /Done: 0 created, 1 changed, 0 unchanged\.$/);
    assert.match(await run(['device', 'show', 'silo-1']), /Second/);
    writeFileSync(file, 'version: 1\ndevices:\n  - device_id: silo-9\n');
    // This call does not go through the proxy that checks requests, because the request is wrong.
    assert.match(await runHere(['apply', file, '--yes'], 3), /\/devices\/0\/name/);
    writeFileSync(file, 'a: [');
    assert.match(await run(['apply', file, '--yes'], 2), /is neither YAML nor JSON/);
    assert.match(await run(['apply', join(folder, 'no.yaml')], 2), /cannot be read/);
    const rows = join(folder, 'rows.csv');
    assert.match(await run(['export', 'readings', '-o', rows]), /rows\.csv has 0 lines/);
  });

  await t.test('devices are imported from a file, found by their labels and changed together', async () => {
    const file = join(folder, 'devices.csv');
    const head = 'device_id;profile;name;model;facility;zone;capacity_kg;label.product';
    const umlaut = Buffer.from(`${head}\r\nrow-1;silo_scale;M\xfchle;GS;F;Z;20000,5;rye\r\n`, 'latin1');
    writeFileSync(file, umlaut);
    assert.equal(await run(['devices', 'import', file, '--dry-run']), '1 rows checked, all of them right.');
    const secrets = join(folder, 'secrets.csv');
    assert.equal(await run(['devices', 'import', file, '--secrets', secrets]), '1 devices registered.');
    assert.match(readFileSync(secrets, 'utf8'), /^username,secret\nrow-1,\S+\n$/);
    assert.match(await run(['devices', 'import', file], 3), /\/rows\/2\/device_id is taken/);
    assert.match(await run(['devices', 'import', join(folder, 'none.csv')], 2), /cannot be read/);
    const [found] = JSON.parse(await run(['devices', '--label', 'product=rye', '--json']));
    assert.deepEqual([found.device_id, found.name, found.labels], ['row-1', 'Mühle', { product: 'rye' }]);
    const change = ['devices', 'change', '--label', 'product', '--set', 'labels.season=2026'];
    const lower = [...change, '--set', 'configuration.thresholds.low_level=25', '--set', 'labels.product='];
    assert.match(
      await run([...lower, '--dry-run']),
      /~ row-1 \/labels\/product: "rye" → null[\s\S]*low_level: 20 → 25\nTo do: 1 to change, 0 unchanged\.$/,
    );
    assert.match(await run(lower, 5), /needs a confirmation/);
    assert.match(await run([...lower, '--yes']), /Done: 1 changed, 0 unchanged\.$/);
    assert.match(await run(['device', 'show', 'row-1']), /labels +season=2026\n/);
    await run(['device', 'edit', 'row-1', '--label', 'season=', '--label', 'site=mill']);
    assert.match(await run(['device', 'show', 'row-1']), /labels +site=mill\n/);
    await run(['device', 'remove', 'row-1', '--yes']);
  });

  await t.test('people are added, listed, invited again and disabled', async () => {
    const add = ['people', 'add', 'ada', '--name', 'Ada Lovelace', '--role', 'operator'];
    const added = await run([...add, '--facility', 'F']);
    assert.match(
      added,
      /^\/#invite=gi_\S+\n\nBehind the address of the service this is the link for Ada Lovelace/,
    );
    assert.match(await run(add, 3), /person_exists/);
    assert.match(
      await run([...add.slice(0, -1), 'king'], 2),
      /there is no "king"; there are viewer, operator/,
    );
    assert.match(
      await run(['people', 'list']),
      /^LOGIN +NAME +ROLES +STATE[\s\S]*ada +Ada Lovelace +operator \(F\) +invited/,
    );
    assert.match(await run(['people', 'invite', 'ada']), /#invite=gi_/);
    assert.match(await run(['people', 'invite', 'eve'], 2), /there is no person "eve"/);
    assert.match(await run(['people', 'disable', 'ada']), /ada \(Ada Lovelace\) is disabled/);
    const [listed] = JSON.parse(await run(['people', 'list', '--json']));
    assert.deepEqual([listed.login, listed.state], ['ada', 'disabled']);
  });

  await t.test('doctor finds nothing wrong, then a wrong key, then a service that is gone', async () => {
    const healthy = await runHere(['doctor']);
    for (const check of ['database', 'broker', 'clock', 'key', 'ports', 'folder']) {
      assert.match(healthy, new RegExp(`^ok +${check} `, 'm'));
    }
    assert.match(healthy, /^(ok|warn) +disk /m);
    assert.match(
      await runHere(['doctor'], 1, { GRANARY_API_KEY: 'gk_wrong' }),
      /^fail +key .*\n +`granary login`/m,
    );
    const other = await runHere(['doctor'], 0, {
      GRANARY_URL: url,
      GRANARY_HTTP_PORT: '0',
      GRANARY_MQTT_PORT: '0',
    });
    assert.match(other, /^ok +ports +HTTP \S+:[1-9]\d+ belongs to the service$/m);
    const throughProxy = await run(['doctor']);
    assert.match(throughProxy, /^ok +ports +HTTP \S+ belongs to the service$/m);
    service.signal('SIGTERM');
    await service.exited;
    const away = await runHere(['doctor'], 1);
    assert.match(away, /^fail +service +cannot reach .*\n +Start it with/m);
    assert.match(away, /^ok +ports +HTTP 127\.0\.0\.1:\d+ is free$/m);
  });
});
