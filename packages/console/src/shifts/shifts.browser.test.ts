import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkAccessibility, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';

let site: RunningSite;
before(async () => {
  site = await RunningSite.start();
});
after(() => site.stop());

test('a note is written on the page of a device, seen by others at once, and removed by who may', async (t) => {
  const operator = await signIn(t, site);
  const { key } = await site.client.keys.create({ name: 'Reader', scopes: ['read'] });
  const reader = await signIn(t, site, { apiKey: key, viewport: PHONE });
  if (operator === null || reader === null) return;
  const { page, record } = operator;
  await operator.open('#/devices/silo-02');
  await reader.open('#/devices/silo-02');
  await page.getByRole('button', { name: 'Add note' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add note' });
  await dialog.getByLabel('Note', { exact: true }).fill('Noisy auger\nsince noon');
  await checkAccessibility(page);
  await dialog.getByRole('button', { name: 'Add note' }).click();
  const note = page.getByRole('listitem').filter({ hasText: 'Noisy auger' });
  await note.getByText('Bea').waitFor();
  const seen = reader.page.getByRole('listitem').filter({ hasText: 'Noisy auger' });
  await seen.waitFor();
  assert.equal(await reader.page.getByRole('button', { name: /note/ }).count(), 0);
  await checkAccessibility(page);
  await checkAccessibility(reader.page);
  await note.getByRole('button', { name: 'Remove note' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await note.waitFor({ state: 'detached' });
  await seen.waitFor({ state: 'detached' });
  assert.deepEqual(record.faults, []);
});
