import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkAccessibility, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';

let site: RunningSite;
before(async () => {
  site = await RunningSite.start();
});
after(() => site.stop());

test('the palette leads from any view to a device with the wished direction, and acknowledges a site after a question', async (t) => {
  const operator = await signIn(t, site);
  if (operator === null) return;
  const { page, record } = operator;
  await operator.open('#/alerts');
  await page.keyboard.press('Control+k');
  const search = page.getByRole('combobox', { name: 'Go to or do' });
  await search.fill('disch calf');
  await page.getByRole('option', { name: /Discharge Calf starter/ }).waitFor();
  await checkAccessibility(page);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Calf starter', level: 1 }).waitFor();
  const discharge = page.getByRole('button', { name: 'Discharge', exact: true }).first();
  await discharge.waitFor();
  assert.equal(await discharge.getAttribute('aria-pressed'), 'true');

  await site.client.configuration.silo.update('silo-02', { thresholds: { low_level: 98, high_level: 99 } });
  await page.getByRole('region', { name: 'Alarms' }).getByText('Calf starter').waitFor();
  await page.keyboard.press('Control+k');
  await search.fill('acknowledge');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Acknowledge Hillside Farm' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await page.getByText('No unacknowledged alerts').waitFor();
  assert.deepEqual(record.faults, []);
});

test('a wall screen shows one facility after the other, has nothing to press, and covers everything when it is not live', async (t) => {
  const operator = await signIn(t, site);
  if (operator === null) return;
  const { page } = operator;
  await page.clock.install();
  await page.goto(`${site.url}/#/wall`);
  await page.reload();
  const title = page.getByRole('heading', { level: 1 });
  await title.getByText('Hillside Farm').waitFor();
  assert.equal(await page.getByRole('navigation').count(), 0);
  assert.equal(await page.getByRole('button').count(), 0);
  await page.clock.runFor(21_000);
  await title.getByText('Riverside Mill').waitFor();
  await checkAccessibility(page);
  await site.killService();
  await page.clock.resume();
  await page
    .getByRole('alert')
    .getByText(/^Not live since/)
    .waitFor();
});
