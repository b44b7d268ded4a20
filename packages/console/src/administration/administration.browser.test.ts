import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { BridgeRequest } from '@granary/contract/bridges';
import { checkAccessibility, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { bridgedDevice, startBridge } from '@granary/testing/console/scripted-bridge';
import { eventually } from '@granary/testing/server/eventually';

const PAGES = [
  'devices',
  'bridges',
  'people',
  'sign-in',
  'terminals',
  'keys',
  'webhooks',
  'notifications',
  'audit',
  'health',
];
const ODD_NAME = '<b>Silo</b> \u05d0\u05d1 \u{1f33e}';

describe('administration', () => {
  let site: RunningSite;
  before(async () => {
    site = await RunningSite.start();
  });
  after(() => site.stop());

  test('a person registers a device, sees its secret once, edits it and removes it', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, record } = operator;
    await operator.open('#/administration/devices');
    await page.getByRole('button', { name: 'Register device' }).click();
    const form = page.getByRole('dialog', { name: 'Register device' });
    await form.getByLabel('Id', { exact: true }).fill('silo-new');
    await form.getByLabel('Name').fill(ODD_NAME);
    await form.getByLabel('Model').fill('GS-1');
    await form.getByLabel('Facility').fill('north');
    await form.getByLabel('Zone').fill('yard');
    await form.getByLabel('Capacity in kg').fill('5000');
    await form.getByRole('button', { name: 'Add sensor' }).click();
    await form.getByLabel('Sensor id').fill('co2');
    await form.getByLabel('Measures').fill('co2');
    await form.getByLabel('Unit').fill('ppm');
    await checkAccessibility(page);
    await form.getByRole('button', { name: 'Register device' }).click();

    const secret = page.getByRole('dialog', { name: `${ODD_NAME} is registered` });
    await secret.getByText('shown only now').waitFor();
    await page.keyboard.press('Escape');
    await secret.getByText('Have you kept it? It cannot be shown again.').waitFor();
    await secret.getByRole('button', { name: 'Keep open' }).click();
    const command = (await secret.locator('code').last().textContent()) ?? '';
    assert.match(command, /^mosquitto_pub -h 127\.0\.0\.1 -p \d+ -i silo-new -u silo-new -P '\S+'/);
    await promisify(execFile)('sh', ['-c', command]);
    assert.equal((await site.client.devices.silo.get('silo-new')).status, 'online');
    await secret.getByRole('button', { name: 'Done' }).click();
    await secret.waitFor({ state: 'detached' });

    await page.getByRole('table').getByRole('link', { name: ODD_NAME }).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const edit = page.getByRole('dialog', { name: `Edit ${ODD_NAME}` });
    // Another person saves a change first.
    await site.client.devices.silo.update('silo-new', { location: { zone: 'quay' } });
    await edit.getByLabel('Name').fill('Reserve');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.getByText('Zone is now “quay”').waitFor();
    assert.equal(await edit.getByLabel('Name').inputValue(), 'Reserve');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    const { name, location } = await site.client.devices.silo.get('silo-new');
    assert.deepEqual([name, location.zone], ['Reserve', 'quay']);

    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    const removal = page.getByRole('dialog', { name: 'Remove Reserve' });
    await removal.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('table', { name: 'Devices' }).waitFor();
    await page.getByRole('cell', { name: 'silo-new' }).waitFor({ state: 'detached' });
    assert.ok((await site.client.devices.silo.get('silo-new')).removed_at !== undefined);

    await page.getByLabel('Show').selectOption('removed');
    await page.getByRole('button', { name: 'Bring back Reserve' }).click();
    const back = page.getByRole('dialog', { name: 'Bring back Reserve' });
    await back.getByRole('button', { name: 'Bring back', exact: true }).click();
    await back.getByText('shown only now').waitFor();
    await page.getByText('No device was removed.').waitFor();
    const renewed = (await back.locator('code').last().textContent()) ?? '';
    await promisify(execFile)('sh', ['-c', renewed]);
    await back.getByRole('button', { name: 'Done' }).click();
    assert.equal((await site.client.devices.silo.get('silo-new')).removed_at, undefined);
    await site.client.devices.silo.remove('silo-new', {});
    await page.getByRole('button', { name: 'Remove all records of Reserve' }).click();
    const purge = page.getByRole('dialog', { name: 'Remove all records of Reserve' });
    await purge.getByLabel('Type silo-new to confirm').fill('silo-new');
    await purge.getByRole('button', { name: 'Remove records' }).click();
    await page.getByText('Records are being removed').waitFor();
    await page.getByText('No device was removed.').waitFor();
    // The browser logs the conflict above, and the last request about a device whose records are gone.
    assert.deepEqual(
      record.faults.filter((fault) => !/\b(412|404)\b/.test(fault)),
      [],
    );
  });

  test('devices are imported from a file and changed together, each after a look at what would happen', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, record } = operator;
    await operator.open('#/administration/devices');
    await page.getByRole('button', { name: 'Import…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import devices' });
    const file = (capacity: string) => ({
      name: 'devices.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        `device_id;profile;name;model;facility;zone;capacity_kg;label.product\r\nrow-1;silo_scale;M\xfchle 1;GS;north;yard;20000;rye\r\nrow-2;silo_scale;M\xfchle 2;GS;north;yard;${capacity};rye\r\n`,
        'latin1',
      ),
    });
    await dialog.getByLabel('CSV file').setInputFiles(file('20.000'));
    await dialog.getByRole('button', { name: 'Check the file' }).click();
    const fault = dialog.getByRole('row', { name: /^3 capacity_kg must be a number without separators/ });
    await fault.waitFor();
    await checkAccessibility(page);
    await dialog.getByLabel('CSV file').setInputFiles(file('20000,5'));
    await dialog.getByRole('button', { name: 'Check the file' }).click();
    await dialog.getByText('All 2 rows are right. Nothing is registered yet.').waitFor();
    await dialog.getByText('20000.5 kg').waitFor();
    await dialog.getByRole('button', { name: 'Register 2 devices' }).click();
    const secrets = page.getByRole('dialog', { name: '2 devices are registered' });
    const downloading = page.waitForEvent('download');
    await secrets.getByRole('button', { name: 'Download the secrets' }).click();
    assert.equal((await downloading).suggestedFilename(), 'secrets.csv');
    await secrets.getByRole('button', { name: 'Close' }).last().click();

    await page.getByLabel('Label', { exact: true }).selectOption('product=rye');
    await page.getByLabel('Choose every listed device').check();
    await page.getByRole('button', { name: 'Change 2 devices' }).click();
    const change = page.getByRole('dialog', { name: 'Change 2 devices' });
    await change.getByLabel('Labels').fill('season=2026, product');
    await change.getByLabel('Low level in %').fill('95');
    await change.getByRole('button', { name: 'Show what would change' }).click();
    await change.getByRole('alert').waitFor();
    await change.getByLabel('Low level in %').fill('15');
    await change.getByRole('button', { name: 'Show what would change' }).click();
    await change.getByText('2 of 2 devices would change.').waitFor();
    await change.getByText('low_level: 20 → 15').first().waitFor();
    await checkAccessibility(page);
    assert.deepEqual((await site.client.devices.silo.get('row-1')).labels, { product: 'rye' });
    await change.getByRole('button', { name: 'Change 2 devices' }).click();
    await change.waitFor({ state: 'detached' });
    const { labels, name } = await site.client.devices.silo.get('row-2');
    assert.deepEqual([labels, name], [{ season: '2026' }, 'Mühle 2']);
    await operator.open('#/overview?label=season%3D2026');
    await page
      .getByRole('link', { name: /Mühle 2/ })
      .first()
      .waitFor();
    for (const id of ['row-1', 'row-2']) await site.client.devices.silo.remove(id, {});
    // The browser logs the refusals of the wrong file and of the wrong threshold.
    assert.deepEqual(
      record.faults.filter((found) => !/\b422\b/.test(found)),
      [],
    );
  });

  test('bridges show how their devices answer, and a device is added only after it was read', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, record } = operator;
    await operator.open('#/administration/bridges');
    await page.getByText('No bridge reports to this service.').waitFor();
    const at = new Date().toISOString();
    const asked: BridgeRequest[] = [];
    startBridge(t, site.client, 'barn', {
      devices: [
        bridgedDevice('silo-01'),
        bridgedDevice('silo-02', {
          state: 'silent',
          round_trip_ms: null,
          waiting: 7,
          breaker: { open: true, next_try_at: new Date(Date.now() + 60_000).toISOString(), failures: 5 },
          last_failure: { code: 'timeout', detail: 'no answer within 1 s', at, points: [] },
        }),
        bridgedDevice('silo-03', {
          last_failure: { code: 'newer_code', detail: 'the <b>fuse</b> is blown', at, points: [] },
        }),
      ],
      mappings: [
        {
          name: 'scale',
          version: 1,
          title: 'Weighing transmitter',
          protocol: 'modbus',
          source: 'Manual, page 12',
          profile: 'silo_scale',
          evidence: 'documented',
          channels: ['weight'],
          sensors: [{ sensor_id: 'tare', type: 'weight', unit: 'kg' }],
        },
      ],
      answer: (request) => {
        asked.push(request);
        if (request.endpoint === 'tcp://10.0.4.99:502') {
          return { failure: { code: 'connection_refused', detail: 'ECONNREFUSED' } };
        }
        if (request.kind !== 'test') return { failure: null };
        const point = { point: 'gross', sensor: 'weight', raw: '0001 e848', unit: 'kg' };
        return {
          failure: null,
          round_trip_ms: 21,
          points: [
            { ...point, value: 7_250, quality: 'good', reason: null },
            { ...point, point: 'tare', sensor: null, value: null, quality: 'bad', reason: 'none_value' },
          ],
        };
      },
    });
    const bridge = page.getByRole('region', { name: 'Bridge barn' });
    await bridge.getByText('It did not answer in time. Check its power').waitFor();
    await bridge.getByText(/^Asked less often after 5 failures; next time in \d+\ss$/).waitFor();
    await bridge.getByText('the <b>fuse</b> is blown').waitFor();
    await bridge.getByText('18 ms').first().waitFor();
    await bridge.getByText('1,204 readings').waitFor();
    await bridge.getByText('Line 12: no unit').waitFor();
    await checkAccessibility(page);

    await bridge.getByRole('button', { name: 'Read now: silo-01' }).click();
    const result = page.getByRole('dialog', { name: 'Read now: silo-01' });
    await result.getByText('It answered after 21 ms.').waitFor();
    await result.getByRole('row').filter({ hasText: '0001 e848' }).getByText('7,250 kg').waitFor();
    await result.getByText('The device has no value').waitFor();
    await checkAccessibility(page);
    await page.keyboard.press('Escape');

    await bridge.getByRole('button', { name: 'Add device' }).click();
    const form = page.getByRole('dialog', { name: 'Add device' });
    await form.getByLabel('Model').selectOption({ label: 'Weighing transmitter · modbus' });
    await form.getByText('not yet tried with a device').waitFor();
    await form.getByLabel('Address').fill('tcp://10.0.4.99:502');
    const save = form.getByRole('button', { name: 'Register and attach' });
    await form.getByRole('button', { name: 'Read it now' }).click();
    await form.getByText('The address refused the connection.').waitFor();
    assert.ok(await save.isDisabled(), 'what was not read is not saved');
    await form.getByLabel('Address').fill('tcp://10.0.4.21:502');
    await form.getByLabel('Unit number').fill('4');
    await form.getByRole('button', { name: 'Read it now' }).click();
    await form.getByText('It answered after 21 ms.').waitFor();
    await form.getByLabel('Id', { exact: true }).fill('silo-bridged');
    await form.getByLabel('Name').fill('Old silo');
    await form.getByLabel('Facility').fill('north');
    await form.getByLabel('Zone').fill('yard');
    await form.getByLabel('Capacity in kg').fill('9000');
    await checkAccessibility(page);
    await form.getByLabel('Address').fill('tcp://10.0.4.22:502');
    await form.getByText('The address was changed: read it again before you save.').waitFor();
    assert.ok(await save.isDisabled());
    await form.getByLabel('Address').fill('tcp://10.0.4.21:502');
    await save.click();
    await form.waitFor({ state: 'detached' });
    const added = asked.at(-1);
    assert.deepEqual([added?.kind, added?.device_id, added?.unit], ['add', 'silo-bridged', 4]);
    assert.ok((added?.secret ?? '').length > 20, 'the bridge gets the secret, and nobody else');
    const { sensors } = await site.client.devices.silo.get('silo-bridged');
    assert.ok(sensors?.some((sensor) => 'sensor_id' in sensor && sensor.sensor_id === 'tare'));

    const { key } = await site.client.keys.create({ name: 'display', scopes: ['read'] });
    const viewer = await signIn(t, site, { apiKey: key, viewport: PHONE });
    await viewer?.open('#/administration/bridges');
    await viewer?.page.getByText('It did not answer in time. Check its power').waitFor();
    assert.equal(await viewer?.page.getByRole('button', { name: /Add|Read|Detach/ }).count(), 0);
    if (viewer !== null) await checkAccessibility(viewer.page);
    assert.deepEqual(record.faults, []);
  });

  test('lists that are empty say what is missing, not that nothing matches', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    for (const [part, text] of [
      ['people', 'Nobody was invited yet.'],
      ['terminals', 'There is no terminal or display yet.'],
    ] as const) {
      await operator.open(`#/administration/${part}`);
      await operator.page.getByText(text).waitFor();
    }
  });

  test('every page of the administration is accessible, light and dark, at a desk and on a phone', async (t) => {
    await site.client.people.invite({
      login: 'sofie',
      name: 'Sofie-Charlotte von Hohenstein-Wittelsbach',
      grants: [{ role: 'engineer' }, { role: 'administrator' }],
    });
    for (const options of [
      { colorScheme: 'light' as const },
      { colorScheme: 'dark' as const, viewport: PHONE },
    ]) {
      const operator = await signIn(t, site, options);
      if (operator === null) return;
      const { page, record } = operator;
      for (const part of PAGES) {
        await operator.open(`#/administration/${part}`);
        await page
          .locator('main :is(table, .panel, .empty-state, .notice:not(:text("Loading")))')
          .first()
          .waitFor();
        await checkAccessibility(page);
      }
      assert.deepEqual(record.faults, []);
    }
  });

  test('health tells what is left of the disk, and when the certificate ends', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page } = operator;
    const ends = new Date('2026-01-02T12:00:00Z');
    await page.route('**/metrics', async (route) => {
      const response = await route.fetch();
      const line = `granary_tls_certificate_expiry_timestamp_seconds ${ends.getTime() / 1_000}\n`;
      await route.fulfill({ response, body: (await response.text()) + line });
    });
    await operator.open('#/administration/health');
    const facts = page.getByRole('region', { name: 'Checks' });
    await facts.getByText(/^[\d.,]+\sGB free of [\d.,]+\sGB$/).waitFor();
    await facts.getByText(/2 Jan.* · Ended$/).waitFor();
  });

  test('the stop stays within reach while a dialog is open', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page } = operator;
    const { data } = await site.client.fleet.devices({ profile: 'silo_scale' });
    const silo = data[0];
    assert.ok(silo !== undefined);
    const { operation_id: id } = await site.client.operations.discharge(silo.device_id, {
      amount: 100,
      unit: 'kg',
      rate: 10,
      rate_unit: 'kg/min',
      target_container: 'truck',
    });
    await operator.open('#/administration/keys');
    await page.getByRole('button', { name: 'Issue key' }).click();
    const form = page.getByRole('dialog', { name: 'Issue key' });
    await form.getByRole('button', { name: `Stop ${silo.name}` }).click();
    // The page says so only until the device has stopped, which may be at once.
    await eventually(async () => {
      const { stop_requested_at } = await site.client.operations.get(silo.device_id, id);
      return stop_requested_at !== null;
    }, true);
  });
});
