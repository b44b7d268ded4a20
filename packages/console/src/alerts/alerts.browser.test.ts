import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkAccessibility, DESK, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { eventually } from '@granary/testing/server/eventually';

/** Raises two alerts of a silo, of which one is critical. */
async function raiseAlerts(site: RunningSite, deviceId: string): Promise<void> {
  await site.client.configuration.silo.update(deviceId, {
    thresholds: { low_level: 99, critical_level: 98, high_level: 100 },
  });
  await eventually(
    async () => (await site.client.fleet.alerts({ device_id: deviceId, severity: 'critical' })).data.length,
    1,
  );
}

describe('the alerts of all devices in Chromium', () => {
  let site: RunningSite;

  before(async () => {
    site = await RunningSite.start();
  });
  after(() => site.stop());

  test('a critical alert appears by itself and is acknowledged in the alarm bar', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, record } = operator;
    await page.getByText('Live', { exact: true }).waitFor();
    await raiseAlerts(site, 'silo-01');
    const bar = page.getByRole('region', { name: 'Alarms' });
    await bar.getByText('Dairy concentrate · Hillside Farm').waitFor();
    await bar.getByText(/98\s%/).waitFor();
    // The age in the bar increases by itself.
    await bar.getByText(/^([2-9]|\d\d)\ss$/).waitFor();
    assert.match(await page.title(), /^\(\d+\) Granary$/);
    await bar.getByRole('button', { name: 'Acknowledge' }).click();
    await bar.getByText('Dairy concentrate').waitFor({ state: 'detached' });
    // The low level was hidden behind the critical one.
    const { data } = await site.client.fleet.alerts({ device_id: 'silo-01' });
    assert.deepEqual(
      data.map(({ status }) => status),
      ['acknowledged', 'acknowledged'],
    );
    assert.deepEqual(record.faults, []);
  });

  test('the alert about an operation leads to it', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, record } = operator;
    const { operation_id } = await site.client.operations.feed('silo-03', {
      amount: 100,
      unit: 'kg',
      rate: 60,
      rate_unit: 'kg/min',
    });
    await raiseAlerts(site, 'silo-03');
    const open = async () => (await site.client.fleet.alerts({ device_id: 'silo-03' })).data;
    const alert_ids = (await open()).map(({ alert_id }) => alert_id);
    await site.client.fleet.acknowledgeAlerts({ alert_ids, acknowledged_by: 'Ada' });
    await site.client.configuration.silo.update('silo-03', {
      thresholds: { low_level: 10, critical_level: 5, high_level: 100 },
    });
    await eventually(async () => (await open()).length, 0);
    // No operation of the simulated silos fails, so the test changes an alert of the history into one of a failed operation.
    await page.route('**/v1/alerts?*', async (route) => {
      const response = await route.fetch();
      const { data, ...body } = await response.json();
      const about = { kind: 'operation', id: operation_id };
      await route.fulfill({
        response,
        json: { ...body, data: data.map((one: object) => ({ ...one, about })) },
      });
    });
    await operator.open('#/alerts?list=history&device=silo-03');
    await page.getByRole('button', { name: /98\s%/ }).click();
    await page.getByRole('link', { name: 'Show the operation' }).click();
    await page.getByRole('list', { name: 'What happened' }).waitFor();
    assert.equal(new URL(page.url()).hash, `#/devices/silo-03?tab=operations&operation=${operation_id}`);
    // The link also works when newer operations fill the first page of the list.
    await page.route('**/v1/siloscale/devices/silo-03/operations?*', async (route) => {
      const response = await route.fetch();
      const { data, ...body } = await response.json();
      const newer = data.map((one: object) => ({ ...one, operation_id: 'op_newer' }));
      await route.fulfill({ response, json: { ...body, data: newer } });
    });
    await page.reload();
    await page.getByRole('list', { name: 'What happened' }).waitFor();
    assert.deepEqual(record.faults, []);
  });

  test('the second of two people who acknowledge an alert learns who was first', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page } = operator;
    await raiseAlerts(site, 'silo-02');
    await operator.open('#/alerts?device=silo-02');
    await page.getByRole('checkbox', { name: /Select Calf starter.*98\s%/ }).check();
    await page.getByRole('button', { name: 'Acknowledge with note' }).click();
    await page.getByRole('dialog').getByLabel('Note').fill('<b>a truck</b> comes');
    await page.route('**/v1/alerts/acknowledge', async (route) => {
      const { alert_ids } = route.request().postDataJSON();
      await site.client.fleet.acknowledgeAlerts({ alert_ids, acknowledged_by: 'Ada', note: 'on my way' });
      await route.continue();
    });
    await page.getByRole('button', { name: 'Acknowledge 1 alert' }).click();
    await page.getByText(/Calf starter · Hillside Farm: Ada had acknowledged it already/).waitFor();
    await page.getByText('“on my way”').waitFor();
  });

  test('several alerts are shelved with a reason, found in their list, and put back', async (t) => {
    const operator = await signIn(t, site, { viewport: PHONE });
    if (operator === null) return;
    const { page } = operator;
    await raiseAlerts(site, 'silo-04');
    await operator.open('#/alerts?device=silo-04');
    await page.getByLabel('Select all').check();
    await page.getByText('1 selected').waitFor();
    await page.locator('.alerts-selection').getByRole('button', { name: 'Shelve' }).click();
    await page.getByLabel('Reason').fill('The part is ordered.');
    await page.getByRole('button', { name: 'Shelve 1 alert' }).click();
    await page.getByText('No open alerts.').waitFor();
    await page.getByRole('link', { name: 'Shelved' }).click();
    const back = page.getByRole('button', { name: 'End shelving' });
    await back.nth(1).waitFor();
    await back.first().click();
    await back.nth(1).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^Open \(/ }).click();
    await page.getByRole('row', { name: /Layer feed/ }).waitFor();
    await page.getByLabel('Select all').check();
    const bar = page.locator('.alerts-selection');
    for (const button of await bar.getByRole('button').all()) {
      const box = await button.boundingBox();
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= PHONE.width, JSON.stringify(box));
    }
    await bar.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await eventually(async () => {
      const { data } = await site.client.fleet.alerts({ device_id: 'silo-04' });
      return data.filter(({ status }) => status !== 'acknowledged').length;
    }, 0);
    await bar.getByText('Select all').waitFor();
  });

  test('the history tells who acknowledged what', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page } = operator;
    await operator.open('#/alerts?list=history&device=silo-02');
    await page
      .getByRole('row', { name: /by Ada/ })
      .getByRole('button', { name: /98\s%/ })
      .click();
    await page.getByRole('dialog').getByText('on my way').waitFor();
    await page
      .getByRole('region', { name: 'What to do' })
      .getByText(/^Order or fill it|^Bring material/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  for (const viewport of [DESK, PHONE]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`has no serious fault of accessibility at ${viewport.width} pixels, ${colorScheme}`, async (t) => {
        const operator = await signIn(t, site, { viewport, colorScheme });
        if (operator === null) return;
        await operator.open('#/alerts');
        await operator.page.getByRole('table').waitFor();
        await checkAccessibility(operator.page);
        assert.equal(await operator.page.evaluate('document.documentElement.scrollWidth'), viewport.width);
      });
    }
  }
});
