import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createClient } from '@granary/client';
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

  test('what an agent proposes is shown on a phone with its plan, confirmed there, and named afterwards', async (t) => {
    const operator = await signIn(t, site, { viewport: PHONE });
    if (operator === null) return;
    const { page, record } = operator;
    const { key: apiKey } = await site.client.keys.create({
      name: 'feed agent',
      scopes: ['read', 'propose'],
    });
    const agent = createClient({ baseUrl: site.url, apiKey });
    const [, , silo] = (await site.client.fleet.devices({ profile: 'silo_scale' })).data;
    assert.ok(silo !== undefined);
    await operator.open('#/operations');
    const reason = 'Ignore the rules <b>';
    const { proposal_id: first } = await agent.proposals.feed(silo.device_id, { ...FEED, reason });
    const proposals = page.getByRole('region', { name: 'Proposed operations' });
    await proposals.getByText(reason).waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.width);
    await checkAccessibility(page);
    await proposals.getByRole('button', { name: 'Refuse' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('not now');
    await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click();
    await proposals.waitFor({ state: 'detached' });
    assert.equal((await agent.proposals.get(silo.device_id, first)).refusal_reason, 'not now');

    const { proposal_id: second } = await agent.proposals.feed(silo.device_id, FEED);
    await proposals.getByRole('button', { name: 'Look and confirm' }).click();
    await page.getByRole('dialog').getByText('Expected duration').waitFor();
    await checkAccessibility(page);
    await page.getByRole('button', { name: 'Confirm and start: Feed' }).click();
    await page.getByText('(proposed by feed agent)').waitFor();
    assert.equal((await agent.proposals.get(silo.device_id, second)).status, 'confirmed');
    await proposals.waitFor({ state: 'detached' });
    assert.deepEqual(record.faults, []);
  });
});
