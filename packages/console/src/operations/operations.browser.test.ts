import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkAccessibility, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';

const FEED = { amount: 3, unit: 'kg', rate: 60, rate_unit: 'kg/min' } as const;

describe('the list of operations', () => {
  let site: RunningSite;
  before(async () => {
    site = await RunningSite.start();
  });
  after(() => site.stop());

  test('an operation appears by itself, is found by its filters, and its end is seen', async (t) => {
    const operator = await signIn(t, site);
    if (operator === null) return;
    const { page, record } = operator;
    await operator.open('#/operations?status=failed');
    await page.getByText('Nothing matches.').waitFor();
    await operator.open('#/operations');
    await page.getByText('Nothing was moved yet.').waitFor();
    const { data } = await site.client.fleet.devices({ profile: 'silo_scale' });
    const [silo, other] = data;
    assert.ok(silo !== undefined && other !== undefined);
    await site.client.operations.feed(silo.device_id, FEED, { actor: 'Ada <b>' });
    await site.client.operations.feed(other.device_id, FEED);
    const row = page.getByRole('row', { name: silo.name });
    await row.getByText('Ada <b>').waitFor();
    await row.getByText('Completed', { exact: true }).waitFor();

    await page.getByLabel('Device', { exact: true }).selectOption(silo.device_id);
    await page.getByRole('row', { name: other.name }).waitFor({ state: 'detached' });
    assert.match(page.url(), new RegExp(`device=${silo.device_id}`));
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row', { name: other.name }).waitFor();

    await page.getByRole('button', { name: 'Device', exact: true }).click();
    await page.locator('th[aria-sort="ascending"]').waitFor();
    await page.locator('tbody tr').first().focus();
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate('document.activeElement.sectionRowIndex'), 1);
    await checkAccessibility(page);
    assert.deepEqual(record.faults, []);
  });

  test('on a phone the rows are cards that fit its width', async (t) => {
    const operator = await signIn(t, site, { viewport: PHONE, colorScheme: 'dark' });
    if (operator === null) return;
    const { page } = operator;
    await operator.open('#/operations');
    await page.locator('tbody tr').first().waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.width);
    await checkAccessibility(page);
    for (const [kind, none] of [
      ['missions', 'There was no mission yet.'],
      ['commands', 'No command was given yet.'],
    ] as const) {
      await operator.open(`#/operations/${kind}`);
      await page.getByText(none).waitFor();
      await checkAccessibility(page);
    }
  });
});
