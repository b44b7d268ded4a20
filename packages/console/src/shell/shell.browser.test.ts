import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkAccessibility, DESK, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { eventually } from '@granary/testing/server/eventually';

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
  await page.keyboard.press('Control+k');
  // The weather of the day can have raised an alert at the other site.
  await search.fill('acknowledge hill');
  await page.getByRole('option', { name: 'Acknowledge Hillside Farm' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Acknowledge Hillside Farm' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await eventually(async () => {
    const { data } = await site.client.fleet.alerts({ device_id: 'silo-02' });
    return data.map(({ status }) => status).join();
  }, 'acknowledged');
  assert.deepEqual(record.faults, []);
});

test('Enter in the palette chooses by what was typed, also before it is drawn', async (t) => {
  const operator = await signIn(t, site);
  if (operator === null) return;
  const { page } = operator;
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to or do' }).evaluate((input: HTMLInputElement) => {
    input.value = 'calf starter';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  });
  await page.getByRole('heading', { name: 'Calf starter', level: 1 }).waitFor();
});

const VIEWS = [
  '#/overview?view=table',
  '#/alerts?list=history',
  '#/orders?days=7',
  '#/map?device=rover-01&mode=plan',
  '#/operations/missions',
  '#/devices/silo-12?usual=on&with=silo-13',
  '#/devices/silo-12?tab=forecast',
  '#/devices/silo-12?tab=configuration',
  '#/administration/audit',
  '#/administration/health',
  '#/me',
];

for (const [viewport, colorScheme] of [
  [DESK, 'light'],
  [PHONE, 'dark'],
] as const) {
  test(`no view and no dialog has a fault of accessibility, ${viewport.width} px wide, ${colorScheme}`, async (t) => {
    const operator = await signIn(t, site, { viewport, colorScheme });
    if (operator === null) return;
    const { page, record } = operator;
    for (const view of VIEWS) {
      await operator.open(view);
      await checkAccessibility(page);
    }
    for (const [view, button] of [
      ['devices', 'Register device'],
      ['notifications', 'Create rule'],
      ['webhooks', 'Create webhook'],
      ['people', 'Invite person'],
      ['terminals', 'Add terminal or display'],
      ['sign-in', 'Add group'],
    ] as const) {
      await operator.open(`#/administration/${view}`);
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('dialog').waitFor();
      await checkAccessibility(page);
    }
    assert.deepEqual(record.faults, []);
  });
}

test('the orders of an address that names the usual days show them', async (t) => {
  const operator = await signIn(t, site);
  if (operator === null) return;
  const { page } = operator;
  for (const [days, shown] of [
    ['7', '7'],
    ['30', '30'],
  ] as const) {
    await operator.open(`#/orders?days=${days}`);
    const chosen = page.locator('.orders-view select option:checked').first();
    await chosen.waitFor({ state: 'attached' });
    assert.match((await chosen.textContent()) ?? '', new RegExp(`\\b${shown}\\b`), days);
  }
  await operator.open('#/orders?days=never');
  await page.getByRole('heading', { level: 1 }).waitFor();
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
