import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkAccessibility, DESK, PHONE, signIn } from '@granary/testing/console/operator';
import { RunningSite } from '@granary/testing/console/running-site';
import { eventually } from '@granary/testing/server/eventually';
import { LANGUAGES, loadTexts } from '@granary/words/languages';
import type { Page } from 'playwright-core';

const SILO = 'silo-01';
/** Words of every English sentence that are not German words; names of devices and places are data. */
const ENGLISH = /\b(?:the|is|has|been|until|with|cannot|moved|started|device|below|above|refused)\b/i;

let site: RunningSite;
before(async () => {
  site = await RunningSite.start();
});
after(() => site.stop());

const englishLines = async (page: Page): Promise<string[]> =>
  (await page.locator('body').innerText()).split('\n').filter((line) => ENGLISH.test(line));

/** The choices whose end is not visible. */
const CUT_CHOICES = `[...document.querySelectorAll('select')].flatMap((select) => {
  const { font, letterSpacing, paddingLeft, paddingRight } = getComputedStyle(select);
  const text = select.selectedOptions[0]?.textContent ?? '';
  const drawing = document.createElement('canvas').getContext('2d');
  Object.assign(drawing, { font, letterSpacing });
  const room = select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  return select.clientWidth > 0 && drawing.measureText(text).width > room + 1 ? [text] : [];
})`;

const VIEWS = [
  '#/overview',
  '#/overview?view=table',
  '#/alerts?list=statistics',
  '#/orders',
  '#/map?device=rover-01&mode=plan',
  '#/operations/missions',
  '#/reports',
  '#/shift',
  '#/devices/silo-12',
  '#/devices/silo-12?tab=forecast',
  '#/devices/silo-12?tab=configuration',
  '#/devices/silo-12?tab=connection',
  '#/administration/bridges',
  '#/administration/people',
  '#/administration/sign-in',
  '#/administration/terminals',
  '#/administration/notifications',
  '#/administration/health',
  '#/me',
  '#/start',
];

for (const viewport of [DESK, PHONE]) {
  test(`no German view has a fault of accessibility, an English sentence or a choice that is cut, ${viewport.width} px wide`, async (t) => {
    const operator = await signIn(t, site, { viewport });
    if (operator === null) return;
    const { page, record } = operator;
    await page.evaluate("localStorage.setItem('granary.language', 'de')");
    await page.reload();
    for (const view of VIEWS) {
      await page.goto(`${site.url}/${view}`);
      await page.locator('main :is(table, .panel, .empty-state, .map, .tile, h1)').first().waitFor();
      await checkAccessibility(page);
      assert.deepEqual(await englishLines(page), [], view);
      assert.deepEqual(await page.evaluate(CUT_CHOICES), [], view);
    }
    assert.deepEqual(record.faults, []);
  });
}

/** Every text that is a string, including those that a view has in a list. */
const stringsOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(stringsOf)
    : [value].filter((one) => typeof one === 'string');

test('on a phone no view of any other language has a text of the English page, or is too wide', async (t) => {
  const operator = await signIn(t, site, { viewport: PHONE });
  if (operator === null) return;
  const { page, record } = operator;
  const { data: devices } = await site.client.fleet.devices();
  const places = devices.flatMap(({ location: { facility, zone } }) => [facility, zone]);
  const english = stringsOf((await loadTexts('en')).page).filter((text) => !places.includes(text));
  for (const language of LANGUAGES.filter((one) => one !== 'en' && one !== 'de')) {
    await page.evaluate(`localStorage.setItem('granary.language', '${language}')`);
    await page.reload();
    await page.locator(`html[lang=${language}]`).waitFor();
    const own = new Set(stringsOf((await loadTexts(language)).page));
    const onlyEnglish = new Set(english.filter((text) => !own.has(text)));
    for (const view of [
      '#/overview',
      '#/devices/silo-12?tab=forecast',
      '#/administration/people',
      '#/me',
      '#/start',
    ]) {
      await page.goto(`${site.url}/${view}`);
      await page.locator('main :is(.panel, .empty-state, .tile, h1)').first().waitFor();
      const lines = (await page.locator('body').innerText()).split('\n').map((line) => line.trim());
      assert.deepEqual(
        lines.filter((line) => onlyEnglish.has(line)),
        [],
        `${language} ${view}`,
      );
      assert.equal(
        await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
        true,
        `${language} ${view}`,
      );
    }
  }
  assert.deepEqual(record.faults, []);
});

test('the German page shows alerts, a refused start, an operation and its trace without an English sentence', async (t) => {
  const operator = await signIn(t, site);
  if (operator === null) return;
  const { page, record } = operator;
  const { client } = site;
  await client.configuration.silo.update(SILO, {
    thresholds: { low_level: 99, critical_level: 98, high_level: 100 },
    rules: [{ sensor_id: 'temperature', above: -39, severity: 'warning', message: 'Warm' }],
  });
  await eventually(async () => (await client.fleet.alerts({ device_id: SILO })).data.length, 3);
  await client.operations.feed(SILO, { amount: 3, unit: 'kg', rate: 60, rate_unit: 'kg/min' });
  const [rover] = (await client.fleet.devices({ profile: 'rover' })).data;
  assert.ok(rover !== undefined);
  await client.commands.give(rover.device_id, { command: 'emergency_stop' });
  await page.evaluate("localStorage.setItem('granary.language', 'de')");
  await page.reload();

  const withoutEnglish = async (shown: RegExp): Promise<void> => {
    await page.getByText(shown).first().waitFor();
    assert.deepEqual(await englishLines(page), []);
  };
  // The filters of the overview take two rows on a desk, and one if there is room.
  for (const [width, heightMax] of [
    [1_920, 60],
    [1_440, 100],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    const bar = await page.locator('.overview-places .filter-bar').boundingBox();
    assert.ok(bar !== null && bar.height < heightMax, `${bar?.height} px at ${width}`);
  }
  await withoutEnglish(/Füllstand \d+(?:,\d)?\s%, an oder unter der Grenze von 98\s%/);
  await page.goto(`${site.url}/#/alerts`);
  await withoutEnglish(/Warm: Temperatur .*, an oder über der Grenze von −39\s°C/);
  await page.goto(`${site.url}/#/operations`);
  await withoutEnglish(/Das Gerät hat den Vorgang als fertig gemeldet, mit 3\skg/);
  await page.goto(`${site.url}/#/operations/commands`);
  await withoutEnglish(/Das Gerät hat bestätigt, dass es steht/);

  await page.goto(`${site.url}/#/devices/${SILO}`);
  await page.getByLabel('Menge').fill('900000');
  await withoutEnglish(/Es ist nur Platz für/);
  await page.getByRole('region', { name: 'Letzter Vorgang' }).getByRole('link').click();
  await page.getByRole('list', { name: 'Was geschehen ist' }).waitFor();
  await withoutEnglish(/Der Start wurde gesendet, gültig bis \d\d:\d\d:\d\d/);
  await page.goto(`${site.url}/#/devices/${rover.device_id}`);
  await withoutEnglish(/Not-Halt in Kraft/);
  assert.deepEqual(record.faults, []);
});
