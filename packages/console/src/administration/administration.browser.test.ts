import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { checkAccessibility, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { eventually } from '@granary/testing/server/eventually';

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
    // Another person is faster.
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
    // The browser reports the conflict above, and the last question about a device whose records are gone.
    assert.deepEqual(
      record.faults.filter((fault) => !/\b(412|404)\b/.test(fault)),
      [],
    );
  });

  test('every page of the administration is accessible, light and dark, at a desk and on a phone', async (t) => {
    for (const options of [
      { colorScheme: 'light' as const },
      { colorScheme: 'dark' as const, viewport: PHONE },
    ]) {
      const operator = await signIn(t, site, options);
      if (operator === null) return;
      const { page, record } = operator;
      for (const part of ['devices', 'keys', 'webhooks', 'notifications', 'audit', 'health']) {
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
