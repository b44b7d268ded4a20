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
  // The simulated weather may have raised an alert at the other site.
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
  // The palette finds devices only after they were loaded.
  await page.getByRole('heading', { name: 'Calf starter' }).waitFor();
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

test('the page opens without a network with the old state, marked as such, and signing out removes it', async (t) => {
  const operator = await signIn(t, site, { viewport: PHONE, hasServiceWorker: true });
  if (operator === null) return;
  const { page } = operator;
  await page.getByText('Live', { exact: true }).waitFor();
  const kept = (path: string) =>
    page.evaluate<boolean>(`caches.match(${JSON.stringify(path)}).then((found) => found !== undefined)`);
  await eventually(() => kept('/'), true);
  await eventually(() => kept('/kept/state'), true);
  const scripts = await page.evaluate<string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => path.startsWith('/assets/'))",
  );
  for (const path of scripts) await eventually(() => kept(path), true);
  await page.context().setOffline(true);
  await page.reload();
  await page.getByText(/^State of \d\d:\d\d:\d\d, no connection/).waitFor();
  await page.getByText('Calf starter').first().waitFor();
  assert.equal(await page.getByText('Live', { exact: true }).count(), 0);
  await checkAccessibility(page);
  await page.context().setOffline(false);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByLabel('Settings', { exact: false }).first().click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  assert.equal(await kept('/kept/state'), false);
  await page.context().setOffline(true);
  await page.reload();
  await page.getByText('State of').waitFor({ state: 'detached' });
  assert.equal(await page.getByText('Calf starter').count(), 0);
});

test('a message of Web Push is shown in the language of the person, and leads to its alert', async (t) => {
  const operator = await signIn(t, site, { hasServiceWorker: true });
  if (operator === null) return;
  const { page } = operator;
  await page.getByText('Live', { exact: true }).waitFor();
  await operator.open('#/me');
  // The browser of the test has no window for the question, so it refuses, and the page says so.
  await page.getByText(/^This browser refuses notifications of this page/).waitFor();
  await checkAccessibility(page);
  await page.getByRole('button', { name: 'What to tell' }).click();
  await page.getByLabel('Operations that have ended').selectOption('All');
  await page.getByLabel('Quiet hours').check();
  await checkAccessibility(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  const devTools = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first !== undefined) resolve(first.registrationId);
    });
  });
  await devTools.send('ServiceWorker.enable');
  const item = {
    id: 'al_1',
    kind: 'raised',
    severity: 'critical',
    is_over: false,
    device_id: 'silo-05',
    device_name: 'Calf starter',
    facility: 'Hillside Farm',
    time_zone: 'Europe/Berlin',
    about: null,
    message: 'Level is 4.5 %, at or below the limit of 5 %',
    message_code: 'level_below',
    message_values: { level: 4.5, limit: 5 },
  };
  const registrationId = await registered;
  const deliver = (more: object = {}) => {
    const payload = { notification_id: 'ntf_1', about: 'alerts', count: 1, items: [{ ...item, ...more }] };
    const data = JSON.stringify(payload);
    return devTools.send('ServiceWorker.deliverPushMessage', { origin: site.url, registrationId, data });
  };
  const [worker] = page.context().serviceWorkers();
  const shown = async () => String(await worker?.evaluate('self.shown.join(" | ")'));
  await worker?.evaluate(
    'self.shown = []; self.registration.showNotification = async (title, { body, data }) => { self.shown = [title, body, data]; }',
  );
  await deliver();
  await eventually(
    shown,
    'critical: Calf starter | Level is 4.5 %, at or below the limit of 5 %\nHillside Farm | /#/alerts?device=silo-05',
  );
  // The texts are kept in the way in which the page keeps them for a person who has turned messages on.
  const german = {
    locale: 'de',
    sentences: {
      level_below: ['Füllstand ', { value: 'level' }],
      maintenance_overdue: ['Fällig ', { value: 'due' }],
    },
    wordsOfSets: {},
    sensors: {},
    or: ' oder ',
    inZone: '{time}, Zeit in {place}',
    severities: { critical: 'Kritisch' },
    words: {},
  };
  await page.evaluate(
    `caches.open('granary-kept').then((kept) => kept.put('/kept/messages', new Response(${JSON.stringify(JSON.stringify(german))})))`,
  );
  await deliver();
  await eventually(
    shown,
    'Kritisch: Calf starter | Füllstand 4,5 %\nHillside Farm | /#/alerts?device=silo-05',
  );
  // The browser is in Berlin, but the silo is not.
  const due = '2026-01-15T18:30:00Z';
  await deliver({
    time_zone: 'America/Chicago',
    message_code: 'maintenance_overdue',
    message_values: { due },
  });
  await eventually(
    async () => (await shown()).split(' | ')[1],
    'Fällig 15. Jan. 2026, 12:30:00, Zeit in Chicago\nHillside Farm',
  );
  await deliver({ about: { kind: 'operation', id: 'op_1' } });
  await eventually(
    async () => (await shown()).split(' | ')[2],
    '/#/devices/silo-05?tab=operations&operation=op_1',
  );
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
