import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { TestContext } from 'node:test';
import { createClient } from '@granary/client';
import { fromBase32, totp } from '@granary/server/process/keys/second-factor';
import type { BrowserContext, Page } from 'playwright-core';
import { openBrowser, PageRecord } from '../server/browser.ts';
import type { RunningSite } from './running-site.ts';

/** Pages are slow on a busy machine. */
const PATIENCE_MS = 90_000;

/** axe-core as a script that is evaluated in the page, which the security policy of the page does not forbid to tests. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Only faults are described, and no style sheets are copied, which only rules need that axe-core does not apply unless asked. */
const QUICK_AXE = `{ resultTypes: ['violations'], preload: { assets: ['media'] } }`;

/** The navigation of the page, in every language. */
const SECTIONS = '.navigation-bar nav';

export const DESK = { width: 1_280, height: 800 };

export const PHONE = { width: 390, height: 844 };

interface Options {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** The key whose rights the person has; the admin key unless given. */
  readonly apiKey?: string;
  /** The name that the browser remembers; `null` for a browser that is used for the first time and asks for the name. */
  readonly person?: string | null;
  /** The name in the sign-in link: that of the account of the machine that has printed it. */
  readonly accountName?: string;
  /** The language that the person has chosen on the page; without one, the language of the browser (English unless given). */
  readonly language?: 'en' | 'de';
  /** The language of the browser itself, which is not always that of the page. */
  readonly browserLanguage?: string;
  /** How far the clock of the viewer's machine is ahead of the right time. */
  readonly clockAheadMs?: number;
  /** True only in tests about the service worker, because it keeps files and so changes what a page requests. */
  readonly hasServiceWorker?: boolean;
  /** A context to use instead of a new one; the other options set the size, the colours and the place of a new one. */
  readonly context?: BrowserContext | null;
}

/** A person who uses the console in a browser of their own. */
export interface Operator {
  readonly page: Page;
  /** The errors of the page, and the hosts to which it has sent requests. */
  readonly record: PageRecord;
  /** Opens a view by its address, such as `#/alerts`. */
  open(address: string): Promise<void>;
}

/** Returns `null` if the browser is missing and may be missing. */
export async function signIn(
  t: TestContext,
  site: Pick<RunningSite, 'url' | 'apiKey'>,
  options: Options = {},
): Promise<Operator | null> {
  const {
    viewport = DESK,
    colorScheme = 'light',
    apiKey = site.apiKey,
    clockAheadMs,
    person = 'Bea',
    hasServiceWorker = false,
    accountName,
    language,
    browserLanguage = 'en-GB',
  } = options;
  const place = { locale: browserLanguage, timezoneId: 'Europe/Berlin' };
  const context = options.context ?? (await openBrowser(t, { viewport, colorScheme, ...place }));
  if (context === null) return null;
  if (!hasServiceWorker) await context.addInitScript('delete Navigator.prototype.serviceWorker');
  if (person !== null) {
    await context.addInitScript(`localStorage.setItem('granary.person', ${JSON.stringify(person)})`);
  }
  if (language !== undefined) {
    await context.addInitScript(`localStorage.setItem('granary.language', '${language}')`);
  }
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const record = new PageRecord(page);
  if (clockAheadMs !== undefined) await page.clock.install({ time: Date.now() + clockAheadMs });
  const { code } = await createClient({ baseUrl: site.url, apiKey }).session.createCode();
  const name = accountName === undefined ? '' : `&name=${encodeURIComponent(accountName)}`;
  await page.goto(`${site.url}/#sign-in=${code}${name}`);
  if (person !== null) await page.locator(SECTIONS).waitFor();
  return {
    page,
    record,
    open: async (address) => {
      await page.goto(`${site.url}/${address}`);
      await page.locator(SECTIONS).waitFor();
    },
  };
}

/**
 * Fails for every fault of accessibility, of any impact, with the elements that have it, in both themes. Also fails for a page that is
 * too wide.
 */
export async function checkAccessibility(page: Page): Promise<void> {
  // The code of a view may still be loading.
  await page.locator('h1, h2').first().waitFor({ state: 'attached' });
  // A document keeps the script, which is slow until the browser has compiled it.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const isDark = await page.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches");
  const themes = isDark ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
  const [own, other] = themes;
  const faults = await faultsOf(page, '{}');
  // In the other theme only the colours differ.
  await page.emulateMedia({ colorScheme: other });
  const otherFaults = await faultsOf(page, '{ runOnly: ["color-contrast", "link-in-text-block"] }');
  await page.emulateMedia({ colorScheme: own });
  assert.deepEqual([...faults, ...otherFaults.map((fault) => `${other}: ${fault}`)], []);
  const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  assert.ok(wider <= 0, `the page is ${wider} px wider than the window`);
}

async function faultsOf(page: Page, options: string): Promise<string[]> {
  const found = await page.evaluate<readonly { id: string; impact: string; nodes: { html: string }[] }[]>(
    `axe.run(document, { ...${QUICK_AXE}, ...${options} }).then(({ violations }) => violations)`,
  );
  return found.map(
    ({ id, impact, nodes }) =>
      `${id} (${impact}): ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
  );
}

/** The code that the authenticator app of a person shows now. */
export const shownCode = (secret: string): string =>
  totp(fromBase32(secret), Math.floor(Date.now() / 30_000));
