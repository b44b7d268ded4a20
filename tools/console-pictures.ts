import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { colouredPixels } from '../packages/testing/src/console/coloured-pixels.ts';
import { RunningSite } from '../packages/testing/src/console/running-site.ts';
import { launchChromium } from '../packages/testing/src/server/browser.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';

/** Takes the pictures of the documents: `npm run pictures`. */
const FOLDER = join(REPOSITORY_ROOT, 'docs', 'images');
const DESK = { width: 1_280, height: 800 };
const PHONE = { width: 390, height: 844 };
const HISTORY_DAYS = 8;
/** The time for trends, tracks and other data that are read after the view is shown. */
const SETTLE_MS = 4_000;
const CHART_WITHIN_MS = 60_000;

const EVERY_FORM = ['desk-light', 'desk-dark', 'phone-light', 'phone-dark'] as const;
type Form = (typeof EVERY_FORM)[number];

const PICTURES: readonly {
  readonly name: string;
  readonly address: string;
  readonly forms: readonly Form[];
}[] = [
  { name: 'overview', address: '#/overview', forms: EVERY_FORM },
  { name: 'device', address: '#/devices/silo-02?range=7d', forms: EVERY_FORM },
  { name: 'forecast', address: '#/devices/silo-11?tab=forecast', forms: ['desk-light', 'phone-dark'] },
  { name: 'orders', address: '#/orders', forms: ['desk-light', 'phone-light'] },
  { name: 'alerts', address: '#/alerts', forms: EVERY_FORM },
  { name: 'map', address: '#/map?device=rover-01', forms: EVERY_FORM },
  { name: 'operations', address: '#/operations', forms: ['desk-light'] },
  { name: 'shift', address: '#/shift', forms: ['desk-light'] },
  { name: 'wall', address: '#/wall', forms: ['desk-dark'] },
  { name: 'administration', address: '#/administration/devices', forms: ['desk-light'] },
];

const site = await RunningSite.start(HISTORY_DAYS);
try {
  const browser = await launchChromium();
  if (browser === null) throw new Error('the pictures need chromium on the PATH');
  try {
    await untilForecastsAreMade();
    await makeSomethingHappen();
    for (const form of EVERY_FORM) await takePictures(browser, form);
  } finally {
    await browser.close();
  }
} finally {
  await site.stop();
}

async function untilForecastsAreMade(): Promise<void> {
  const { client } = site;
  const silos = (await client.fleet.devices({ profile: 'silo_scale' })).data.length;
  while ((await client.foresight.forecasts({ limit: 1_000 })).data.length < silos) await sleep(SETTLE_MS);
}

/** Raises two alerts of a silo and starts an operation. */
async function makeSomethingHappen(): Promise<void> {
  const { configuration, operations } = site.client;
  await configuration.silo.update('silo-02', { thresholds: { low_level: 60, critical_level: 55 } });
  await operations.feed('silo-04', { amount: 2, unit: 't', rate: 60, rate_unit: 'kg/min' });
}

async function takePictures(browser: Browser, form: Form): Promise<void> {
  const isPhone = form.startsWith('phone');
  const context = await browser.newContext({
    viewport: isPhone ? PHONE : DESK,
    isMobile: isPhone,
    hasTouch: isPhone,
    colorScheme: form.endsWith('dark') ? 'dark' : 'light',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  await context.addInitScript(`localStorage.setItem('granary.person', 'Operator')`);
  const page = await context.newPage();
  const { code } = await site.client.session.createCode();
  await page.goto(`${site.url}/#sign-in=${code}`);
  await page.getByText('Live', { exact: true }).waitFor();
  for (const { name, address, forms } of PICTURES) {
    if (!forms.includes(form)) continue;
    await page.goto(`${site.url}/${address}`);
    await sleep(SETTLE_MS);
    if (name === 'device') await untilChartIsDrawn(page);
    await page.screenshot({ path: join(FOLDER, `${name}-${form}.png`) });
    console.log(`${name}-${form}.png`);
  }
  await context.close();
}

async function untilChartIsDrawn(page: Page): Promise<void> {
  const untilMs = performance.now() + CHART_WITHIN_MS;
  while ((await colouredPixels(page)) === 0) {
    if (performance.now() > untilMs) throw new Error('the chart has no line');
    await sleep(100);
  }
}
