import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { mayTestWith } from '../link/outside-clients.ts';

/** Without its sandbox Chromium also runs as root, and without its own services it sends no requests to others. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** A browser that no test has used for this long is closed, so that the process of the tests can end. */
const IDLE_MS = 2_000;

/** The same browser without the window around a page; a new page takes a quarter of the processor time. */
const QUICKER = 'chromium-headless-shell';

/** Returns `null` if the browser is missing. */
export async function launchChromium(executablePath = pathOf('chromium')): Promise<Browser | null> {
  return executablePath === undefined ? null : await chromium.launch({ executablePath, args: FLAGS });
}

const pathOf = (command: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });

/** One browser for all tests of a process, because its start costs more than most tests. */
let browser: Promise<Browser | null> | undefined;
let users = 0;
let closing: NodeJS.Timeout | undefined;

/**
 * Opens a browser context for one test: its cookies, storage, cache and connections are its own, and it is closed after the test.
 * Returns `null` if the browser is missing and may be missing.
 */
export async function openBrowser(
  t: TestContext,
  options: BrowserContextOptions = {},
): Promise<BrowserContext | null> {
  clearTimeout(closing);
  users++;
  browser ??= launchChromium(pathOf(QUICKER) ?? pathOf('chromium'));
  const shared = await browser;
  t.after(leaveBrowser);
  if (!mayTestWith(t, 'chromium', shared !== null) || shared === null) return null;
  const context = await shared.newContext(options);
  t.after(() => context.close());
  return context;
}

/**
 * Opens a browser as a person has it, with a profile on disk and these switches, because only such a browser has Web Push. Returns
 * `null` if it is missing and may be missing.
 */
export async function openOwnBrowser(
  t: TestContext,
  switches: readonly string[],
): Promise<BrowserContext | null> {
  const executablePath = pathOf('chromium');
  if (!mayTestWith(t, 'chromium', executablePath !== undefined) || executablePath === undefined) return null;
  const folder = await mkdtemp(join(tmpdir(), 'granary-browser-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath,
    args: [...FLAGS, ...switches],
  });
  t.after(async () => {
    await context.close();
    await rm(folder, { recursive: true, force: true });
  });
  return context;
}

function leaveBrowser(): void {
  users--;
  if (users > 0) return;
  closing = setTimeout(() => {
    const idle = browser;
    browser = undefined;
    void idle?.then((one) => one?.close());
  }, IDLE_MS);
}

/** The requests of a page and its errors; a violated security policy is an error in its console. */
export class PageRecord {
  readonly faults: string[] = [];
  readonly hosts = new Set<string>();

  constructor(page: Page) {
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.faults.push(message.text());
    });
    page.on('pageerror', (error) => this.faults.push(error.message));
    page.on('request', (request) => {
      const { protocol, host } = new URL(request.url());
      if (protocol !== 'data:') this.hosts.add(host);
    });
  }
}
