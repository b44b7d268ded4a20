import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { localMs } from '@granary/common/time-zone';
import { toIso } from '@granary/contract/time';
import { checkAccessibility, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';

/** No mail server listens there, so nothing is sent. */
const MAIL = { GRANARY_SMTP_URL: 'smtp://127.0.0.1:9', GRANARY_MAIL_FROM: 'granary@farm.example' };

let site: RunningSite;
before(async () => {
  site = await RunningSite.start(0, {}, MAIL);
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

test('a view is saved with its filters, opened by another key from the list and the palette, and removed', async (t) => {
  const operator = await signIn(t, site);
  const { key } = await site.client.keys.create({ name: 'Reader', scopes: ['read'] });
  const reader = await signIn(t, site, { apiKey: key, viewport: PHONE });
  if (operator === null || reader === null) return;
  const { page, record } = operator;
  await operator.open('#/alerts?list=history&severity=critical');
  await page.getByRole('button', { name: 'Views' }).click();
  const dialog = page.getByRole('dialog', { name: 'Views' });
  await dialog.getByText('No view is saved yet.').waitFor();
  await dialog.getByLabel('Name').fill('Critical ones');
  await dialog.getByLabel('Share with everybody').check();
  await checkAccessibility(page);
  await dialog.getByRole('button', { name: 'Save view' }).click();
  await dialog.waitFor({ state: 'detached' });

  await reader.open('#/overview');
  await reader.page.getByRole('button', { name: 'Views' }).click();
  await reader.page.getByText('shared by Bea').waitFor();
  assert.equal(await reader.page.getByLabel('Share with everybody').count(), 0);
  await checkAccessibility(reader.page);
  await reader.page.getByRole('link', { name: 'Critical ones' }).click();
  await reader.page.waitForURL(/#\/alerts\?list=history&severity=critical$/);

  await operator.open('#/map');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to or do' }).fill('critical on');
  await page.getByRole('option', { name: /Critical ones/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/alerts\?list=history&severity=critical$/);
  await page.getByRole('button', { name: 'Views' }).click();
  await dialog.getByLabel('Name').fill('Critical ones');
  await dialog.getByText('Replaces your view of this name.').waitFor();
  await dialog.getByRole('button', { name: 'Remove Critical ones' }).click();
  await page
    .getByRole('dialog', { name: 'Remove' })
    .getByRole('button', { name: 'Remove', exact: true })
    .click();
  await dialog.getByText('No view is saved yet.').waitFor();
  assert.deepEqual(record.faults, []);
});

test('a report is read, printed and saved, and sent to others by a schedule', async (t) => {
  const operator = await signIn(t, site);
  const phone = await signIn(t, site, { viewport: PHONE });
  if (operator === null || phone === null) return;
  const { page, record } = operator;
  await site.client.devices.silo.update('silo-01', { labels: { product: 'rye' } });
  await operator.open('#/overview');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to or do' }).fill('reports');
  await page
    .getByRole('option', { name: /^Reports/ })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  const report = page.frameLocator('iframe');
  await report.getByRole('heading', { name: 'Daily report' }).waitFor();
  await page.getByRole('button', { name: 'Week', exact: true }).click();
  await report.getByRole('heading', { name: 'Weekly report' }).waitFor();
  await page.getByLabel('Facility').first().selectOption('Hillside Farm');
  // The report of all facilities also contains this name, and is replaced.
  await report.getByText('Riverside Mill').first().waitFor({ state: 'detached' });
  await report.getByText('Hillside Farm').first().waitFor();
  await page.evaluate(
    `document.querySelector('iframe').contentWindow.print = () => { document.title = 'printed'; }`,
  );
  await page.getByRole('button', { name: 'Print' }).click();
  assert.equal(await page.title(), 'printed');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  assert.equal((await saving).suggestedFilename(), 'report-weekly.csv');
  await page.getByLabel('A day of it').fill('1 January 2999');
  await page.getByLabel('A day of it').press('Enter');
  await page.getByRole('alert').filter({ hasText: /date/i }).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await report.getByRole('heading', { name: 'Daily report' }).waitFor();
  await page.getByRole('button', { name: 'Send to me' }).click();
  await page
    .getByText(/e-mail address/)
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'New schedule' }).click();
  const form = page.getByRole('dialog', { name: 'New schedule' });
  await form.getByLabel('Name').fill('Morning');
  await form.getByLabel('E-mail addresses').fill('boss@example.com\nno address');
  await checkAccessibility(page);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.locator('.refusal, [role=alert]').first().waitFor();
  await form.getByLabel('E-mail addresses').fill('boss@example.com');
  await form.getByLabel('Label', { exact: true }).selectOption('product=rye');
  await form.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Morning' });
  await row.getByText('Every day, 06:00').waitFor();
  await checkAccessibility(page);
  await row.getByRole('button', { name: 'Change Morning' }).click();
  const change = page.getByRole('dialog', { name: 'Change Morning' });
  await change.getByLabel('Is sent').uncheck();
  await change.getByRole('button', { name: 'Save' }).click();
  await row.getByText('switched off').waitFor();
  assert.deepEqual(
    (await site.client.reports.schedules()).data.map(({ label }) => label),
    ['product=rye'],
  );

  await phone.open('#/reports');
  await phone.page.frameLocator('iframe').getByRole('heading', { name: 'Daily report' }).waitFor();
  await phone.page.getByText('Morning').first().waitFor();
  const width = await phone.page.evaluate('document.documentElement.scrollWidth');
  assert.ok(Number(width) <= PHONE.width, `${width} px`);
  await checkAccessibility(phone.page);

  await row.getByRole('button', { name: 'Remove Morning' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('No report is sent yet.').waitFor();
  // The browser logs the refusals of the service.
  assert.deepEqual(
    [...record.faults, ...phone.record.faults].filter((fault) => !/status of 4(?:00|22)/.test(fault)),
    [],
  );
});

test('a shift is handed over with what happened in it, printed, and acknowledged on a phone', async (t) => {
  const operator = await signIn(t, site);
  const next = await signIn(t, site, { viewport: PHONE, person: 'Carl' });
  if (operator === null || next === null) return;
  const { page, record } = operator;
  const { client } = site;
  await client.operations.feed('silo-03', { amount: 3, unit: 'kg' });
  await client.shifts.addNote({ facility: 'Hillside Farm', text: 'Fox in the yard' });
  await operator.open('#/operations');
  await page.getByRole('link', { name: 'Shift' }).click();
  await page.getByRole('heading', { name: /^Since /, level: 1 }).waitFor();
  await page.getByRole('region', { name: 'Operations' }).getByText(/Feed/).first().waitFor();
  await page.getByRole('region', { name: 'Notes' }).getByText('Fox in the yard').waitFor();
  await page.getByRole('region', { name: 'Changes' }).getByText('Feed').first().waitFor();
  // The times are in the time zone of the site, to the minute, and are those at which shifts begin.
  await page
    .getByText(/^As of \d\d:\d\d · All facilities · times of Berlin · Shifts begin at 06:00, 14:00, 22:00$/)
    .waitFor();
  const heading = await page.getByRole('heading', { level: 1 }).textContent();
  assert.match(heading ?? '', /^Since (?:\d+ \w+, )?(?:06|14|22):00$/);
  const start = page.getByLabel('Start of the shift');
  assert.match(await start.inputValue(), /^\d+ \w+ \d{4}, (?:06|14|22):00$/);
  const lastHourMs = Date.now() - 3_600_000;
  const lastHour = new Date(localMs(lastHourMs, 'Europe/Berlin')).toISOString().slice(0, 16);
  await start.fill(lastHour);
  await start.press('Enter');
  await page.waitForURL(new RegExp(`from=${encodeURIComponent(toIso(lastHourMs).slice(0, 16))}`));
  await page
    .getByRole('heading', { name: new RegExp(`^Since .*${lastHour.slice(11)}$`), level: 1 })
    .waitFor();
  await start.fill('');
  await start.press('Enter');
  await page.waitForURL(/#\/shift$/);
  await page.getByRole('heading', { name: heading ?? '', level: 1 }).waitFor();
  await page.getByText('No handover waits').waitFor();
  await checkAccessibility(page);
  await page.getByRole('button', { name: 'Hand over' }).click();
  const form = page.getByRole('dialog', { name: 'Hand over' });
  await form.getByLabel('What the next shift has to know').fill('Quiet.\nFox about.');
  await form.getByRole('button', { name: 'Hand over' }).click();
  await page.getByText('Quiet.').waitFor();
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.getByRole('button', { name: 'Print' }).isVisible(), false);
  assert.equal(await page.getByText('Fox in the yard').isVisible(), true);
  await page.emulateMedia({ media: 'screen' });

  await next.open('#/shift?facility=Hillside+Farm');
  await next.page.getByText('Quiet.').waitFor();
  await next.page.getByRole('button', { name: 'Add note' }).waitFor();
  await checkAccessibility(next.page);
  await next.page.getByRole('button', { name: 'Acknowledge handover' }).click();
  await next.page.getByText('No handover waits').waitFor();
  const [handover] = (await client.shifts.handovers()).data;
  assert.deepEqual([handover?.created_by?.actor, handover?.acknowledged_by?.actor], ['Bea', 'Carl']);
  await next.open('#/shift?from=nonsense');
  await next.page.getByRole('heading', { name: /^Since /, level: 1 }).waitFor();
  await next.open('#/shift?from=2020-01-01T00:00');
  await next.page.getByRole('alert').first().waitFor();
  await page.evaluate("localStorage.setItem('granary.language', 'de')");
  await page.reload();
  await page.getByRole('heading', { name: /^Seit / }).waitFor();
  assert.deepEqual(record.faults, []);
});

test('statistics say how many alerts were raised, and which', async (t) => {
  const operator = await signIn(t, site, { viewport: PHONE });
  if (operator === null) return;
  const { page, record } = operator;
  await site.client.configuration.silo.update('silo-01', { thresholds: { low_level: 98, high_level: 99 } });
  await operator.open('#/alerts');
  await page
    .getByRole('link', { name: /^Low level|Statistics/ })
    .last()
    .click();
  await page.getByText('alerts raised per hour').waitFor();
  await page.getByRole('img', { name: /^Raised alerts over time/ }).waitFor();
  await page.getByRole('region', { name: 'Most frequent' }).getByText('Low level').first().waitFor();
  await page.getByRole('button', { name: '24 hours' }).click();
  await page.getByText('alerts raised per hour').waitFor();
  await checkAccessibility(page);
  assert.deepEqual(record.faults, []);
});

test('the text about an alert is written for a facility in its dialog, shown to others, and removed', async (t) => {
  const operator = await signIn(t, site);
  if (operator === null) return;
  const { page, record } = operator;
  await site.client.configuration.silo.update('silo-02', { thresholds: { low_level: 98, high_level: 99 } });
  await operator.open('#/alerts?device=silo-02&type=low_level');
  const help = page.getByRole('region', { name: 'What to do' });
  await page.getByRole('row').filter({ hasText: 'Calf starter' }).getByRole('button', { name: /%/ }).click();
  await help.getByText('Order or fill it').waitFor();
  await help.getByRole('button', { name: 'Edit text' }).click();
  const form = page.getByRole('dialog', { name: 'What to do: Low level' });
  await form.getByLabel('For').selectOption({ label: 'alerts in Hillside Farm' });
  await form.getByLabel('Action').fill('Call the mill.');
  await checkAccessibility(page);
  await form.getByRole('button', { name: 'Save text' }).click();
  await help.getByText('Call the mill.').waitFor();
  await help.getByText('Text of this site for alerts in Hillside Farm').waitFor();
  await help.getByRole('button', { name: 'Remove the text of this site' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove text', exact: true }).last().click();
  await help.getByText('Order or fill it').waitFor();
  assert.deepEqual(record.faults, []);
});
