import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { mayTestWith } from '@granary/link/testing/outside-clients';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Without its sandbox it also runs as root, and without its own services it asks nobody for anything. */
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Returns `null` where the browser is missing and allowed to be. */
export async function startBrowser(t: TestContext): Promise<Browser | null> {
  const browser = await launchChromium();
  if (!mayTestWith(t, 'chromium', browser !== null) || browser === null) return null;
  t.after(() => browser.close());
  return browser;
}

/** Returns `null` where the browser is missing. */
export async function launchChromium(): Promise<Browser | null> {
  const executablePath = pathOf('chromium');
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

/** What a page has asked for, and what went wrong in it; a violated security policy is an error in its console. */
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
