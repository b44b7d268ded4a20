import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { checkAccessibility, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { openBrowser } from '@granary/testing/server/browser';
import type { Page } from 'playwright-core';

const WIDE = { width: 1_440, height: 900 };
/** With these settings no mail is sent. The service has another time zone than its silos, which are in Berlin. */
const SETTINGS = {
  GRANARY_TIME_ZONE: 'UTC',
  GRANARY_SMTP_URL: 'smtp://127.0.0.1:9',
  GRANARY_MAIL_FROM: 'granary@farm.example',
};

/** The time that a clock on the wall of a place shows, such as `06:05`. */
const clockIn = (timeZone: string, timeMs = Date.now()): string =>
  new Date(timeMs).toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });

/** The number of pixels by which the start of the shift is cut off in its field. */
const hiddenOfStart = (page: Page): Promise<number> =>
  page
    .locator('.filter .entry input[type=text]')
    .first()
    .evaluate((element) => element.scrollWidth - element.clientWidth);

interface Place {
  readonly locale: string;
  readonly timezoneId: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly language: 'en' | 'de';
}

/** Opens a page whose browser has another language than the page, and another time zone than the site. */
async function viewer(t: TestContext, site: RunningSite, { language, ...place }: Place) {
  const context = await openBrowser(t, place);
  if (context === null) return null;
  await context.addInitScript(`localStorage.setItem('granary.language', '${language}')`);
  await context.addInitScript(`localStorage.setItem('granary.person', 'Bea')`);
  const operator = await signIn(t, site, { context, person: null });
  if (operator === null) return null;
  const { page } = operator;
  await page.getByRole('navigation').first().waitFor();
  return {
    page,
    open: async (address: string): Promise<void> => {
      await page.goto(`${site.url}/${address}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
    },
  };
}

const ABROAD: Place = {
  locale: 'de-DE',
  timezoneId: 'America/Los_Angeles',
  viewport: WIDE,
  language: 'en',
};
const GERMAN_ABROAD: Place = {
  locale: 'en-US',
  timezoneId: 'Asia/Kathmandu',
  viewport: PHONE,
  language: 'de',
};

describe('times in the page', () => {
  let site: RunningSite;
  before(async () => {
    site = await RunningSite.start(0, {}, SETTINGS);
  });
  after(() => site.stop());

  test('are those of the site, which is named to a viewer elsewhere: clock, shift, handover, report', async (t) => {
    const operator = await viewer(t, site, ABROAD);
    if (operator === null) return;
    const { page } = operator;
    await operator.open('#/shift');
    await page.getByText(/^As of .+ · All facilities · times of Berlin · Shifts begin at 06:00/).waitFor();
    assert.equal(await hiddenOfStart(page), 0);
    await page.setViewportSize(PHONE);
    assert.equal(await hiddenOfStart(page), 0);
    await page.setViewportSize(WIDE);
    const head = (await page.getByText(/^As of /).textContent()) ?? '';
    const bar = (await page.locator('.bar-clock').textContent()) ?? '';
    assert.match(bar, /^\d\d:\d\d(?: [AP]M)?, Berlin time$/);
    const minutesOf = (text: string): number => {
      const [, hours, minutes, half] = /(\d\d):(\d\d)(?: ([AP]M))?/.exec(text) ?? [];
      return (
        (half === undefined ? Number(hours) : (Number(hours) % 12) + (half === 'PM' ? 12 : 0)) * 60 +
        Number(minutes)
      );
    };
    const now = minutesOf(clockIn('Europe/Berlin'));
    for (const shown of [head, bar])
      assert.ok((now - minutesOf(shown) + 1_440) % 1_440 <= 5, `${shown}: ${now}`);
    assert.match(
      (await page.getByRole('heading', { level: 1 }).textContent()) ?? '',
      /(?:06|10|02):00 [AP]M$/,
    );
    await page.getByRole('button', { name: 'Hand over' }).click();
    await page
      .getByRole('dialog', { name: 'Hand over' })
      .getByText(/All facilities: .*(?:06|10|02):00 [AP]M – .*times of Berlin/)
      .waitFor();
    await checkAccessibility(page);
    await page.keyboard.press('Escape');
    await operator.open('#/reports');
    await page.frameLocator('iframe').getByText('times of Berlin').first().waitFor();
    await page.getByRole('button', { name: 'New schedule' }).click();
    assert.equal(await page.getByRole('dialog').getByLabel('Time zone').inputValue(), 'Europe/Berlin');
    await operator.open('#/start');
    await page.getByText('The service runs by the clocks of UTC, your silos by those of Berlin.').waitFor();
    await checkAccessibility(page);
    await operator.open('#/devices/silo-01');
    await page.locator('.u-over').hover();
    await page
      .locator('.device-readout time')
      .getByText(/\d [AP]M, Berlin time$/)
      .waitFor();
    const { operation_id: id } = await site.client.operations.feed('silo-01', { amount: 500 });
    const card = page.locator('.movement');
    await card.getByRole('button', { name: /^Stop/ }).click();
    const end = await card.getByText(/confirmed by the device/).textContent();
    assert.match(end ?? '', /[AP]M, Berlin time/);
    await operator.open(`#/devices/silo-01?tab=operations&operation=${id}`);
    const overlap = page
      .locator('.device-trace-time')
      .first()
      .evaluate((element) => element.scrollWidth - element.clientWidth);
    assert.equal(await overlap, 0, 'a time covers what happened');
    await operator.open('#/devices/silo-01?tab=configuration');
    await page.getByLabel(/^Next maintenance/).fill('2027-07-01 14:55');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved /).waitFor();
    const { configuration } = await site.client.configuration.silo.get('silo-01');
    assert.equal(configuration.maintenance.next_scheduled, '2027-07-01T12:55:00.000Z');
    await page.getByLabel('Next maintenance, Berlin time').waitFor();
    await page.getByLabel('Reason').fill('New bearing');
    await page.getByLabel(/^Until/).fill('2027-07-01 14:55');
    await page.getByRole('button', { name: 'Begin maintenance' }).click();
    await page.getByRole('button', { name: 'End maintenance' }).waitFor();
    const { maintenance } = await site.client.devices.silo.get('silo-01');
    assert.equal(maintenance?.until, '2027-07-01T12:55:00.000Z');
    await page.getByRole('button', { name: 'End maintenance' }).click();
    await page.getByLabel('Until, Berlin time').waitFor();
    await checkAccessibility(page);
  });

  test('are so on a phone, in German', async (t) => {
    const operator = await viewer(t, site, GERMAN_ABROAD);
    if (operator === null) return;
    const { page } = operator;
    await operator.open('#/shift');
    await page.getByText(/^Stand .+ · Zeiten von Berlin · Schichten beginnen um 06:00/).waitFor();
    assert.equal(await hiddenOfStart(page), 0);
    await page.getByRole('button', { name: 'Übergeben' }).click();
    await page
      .getByRole('dialog')
      .getByText(/Zeiten von Berlin/)
      .waitFor();
    await checkAccessibility(page);
    await page.keyboard.press('Escape');
    await operator.open('#/devices/silo-01');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await checkAccessibility(page);
    await operator.open('#/start');
    await page.getByText('Der Dienst läuft nach der Zeit in UTC, Ihre Silos nach der in Berlin.').waitFor();
    await checkAccessibility(page);
  });

  describe('of silos in several zones', () => {
    before(async () => {
      const { client } = site;
      await client.devices.silo.register({
        device_id: 'prairie',
        name: 'Prairie',
        model: 'test',
        location: { facility: 'Prairie Elevator', zone: 'Yard' },
        capacity: { max: 10_000, unit: 'kg' },
      });
      await client.configuration.silo.update('prairie', { time_zone: 'America/Chicago' });
    });

    test('are told after the person has chosen, and without a question to whoever is at one of them', async (t) => {
      const operator = await viewer(t, site, ABROAD);
      const local = await viewer(t, site, { ...GERMAN_ABROAD, timezoneId: 'Europe/Berlin' });
      if (operator === null || local === null) return;
      const { page } = operator;
      for (const [address, told] of [
        ['#/shift', page.getByText(/^As of .*times of Chicago/)],
        ['#/reports', page.frameLocator('iframe').getByText('times of Chicago')],
      ] as const) {
        await operator.open(address);
        await page.getByText('The silos here are in several time zones (Berlin, Chicago).').first().waitFor();
        await checkAccessibility(page);
        await page.getByLabel('By whose clocks').selectOption('America/Chicago');
        await told.first().waitFor();
      }
      await operator.open('#/shift?facility=Prairie+Elevator');
      await page.getByText(/^As of .*times of Chicago/).waitFor();
      assert.match((await page.locator('.bar-clock').textContent()) ?? '', /Chicago time$/);
      assert.equal(await page.getByLabel('By whose clocks').count(), 0);
      await local.open('#/shift');
      await local.page.getByText(/^Stand .*Zeiten von Berlin/).waitFor();
      await local.page.getByLabel('Nach welchen Uhren').selectOption('America/Chicago');
      await local.page.getByText(/^Stand .*Zeiten von Chicago/).waitFor();
    });
  });
});
