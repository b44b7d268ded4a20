import { launchChromium } from '@granary/testing/server/browser';
import type { BrowserContext, Page } from 'playwright-core';
import { ask } from './farm.ts';
import type { ServiceProcess } from './service-process.ts';

type State = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Pages are slow on a busy machine. */
const PATIENCE_MS = 120_000;

/** The operators' page in a browser, and what can be measured in it. */
export class OpenConsole {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Milliseconds from the navigation until this many tiles are shown and a frame was drawn after them. */
  async untilTiles(count: number): Promise<number> {
    return await this.#page.evaluate(`new Promise((resolve, reject) => {
      const look = () => {
        if (performance.now() > ${PATIENCE_MS}) reject(new Error('the tiles are missing'));
        else if (document.querySelectorAll('.overview-tile').length < ${count}) requestAnimationFrame(look);
        else requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
      };
      look();
    })`);
  }

  /** The scripts that were loaded, as they were sent. */
  async scriptKb(): Promise<number> {
    const bytes: number = await this.#page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    return bytes / 1_000;
  }

  /** The time at which the counts of the alarm bar are next drawn differently, by the clock of this machine. */
  nextChangeOfAlarms(): Promise<number> {
    return this.#page.evaluate(`new Promise((resolve) => {
      const bar = document.querySelector('.alarm-bar');
      new MutationObserver((_, observer) => {
        observer.disconnect();
        requestAnimationFrame(() => resolve(Date.now()));
      }).observe(bar, { subtree: true, childList: true, characterData: true });
    })`);
  }

  /** Milliseconds from pressing the range of a year until it is drawn, several times. */
  async chartOfYear(deviceId: string, rounds: number): Promise<number[]> {
    const page = this.#page;
    const elapsedMs: number[] = [];
    await page.goto(`${new URL(page.url()).origin}/#/devices/${deviceId}`);
    const chart = page.locator('.device-chart');
    const idle = (): Promise<unknown> => page.waitForSelector('.device-chart[aria-busy=false] canvas');
    await chart.waitFor();
    for (let round = 0; round < rounds; round++) {
      await page.getByRole('button', { name: '24 h', exact: true }).click();
      await idle();
      elapsedMs.push(
        await page.evaluate(`new Promise((resolve) => {
          const chart = document.querySelector('.device-chart');
          const startedMs = performance.now();
          let wasBusy = false;
          new MutationObserver((_, observer) => {
            const isBusy = chart.getAttribute('aria-busy') === 'true';
            wasBusy ||= isBusy;
            if (isBusy || !wasBusy) return;
            observer.disconnect();
            requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - startedMs)));
          }).observe(chart, { attributes: true, attributeFilter: ['aria-busy'] });
          [...document.querySelectorAll('.device-chart button')].find(({ textContent }) => textContent === '1 y').click();
        })`),
      );
    }
    return elapsedMs;
  }

  /** The share of a time in which the main thread of the page worked. */
  async busyShare(forMs: number): Promise<number> {
    const session = await this.#page.context().newCDPSession(this.#page);
    await session.send('Performance.enable');
    const taskSeconds = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
    };
    const before = await taskSeconds();
    await this.#page.waitForTimeout(forMs);
    return ((await taskSeconds()) - before) / (forMs / 1_000);
  }
}

export interface ConsoleBrowser {
  /** Opens the console in a new context, so that nothing is in the cache. */
  open<Result>(use: (page: OpenConsole) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Signs in by a one-time code, as the printed link does. */
export async function launchConsole(service: ServiceProcess): Promise<ConsoleBrowser> {
  const browser = await launchChromium();
  if (browser === null) throw new Error('the console is measured in Chromium: apt-get install chromium');
  const answer = (await (await ask(service, '/v1/session/codes', {})).json()) as { data: { code: string } };
  const first = await browser.newContext();
  const page = await first.newPage();
  await page.goto(`${service.httpUrl}/#sign-in=${answer.data.code}`);
  await page.getByRole('navigation').waitFor();
  const storageState: State = await first.storageState();
  await first.close();
  return {
    open: async (use) => {
      const context = await browser.newContext({ storageState, viewport: { width: 1_280, height: 800 } });
      try {
        const opened = await context.newPage();
        opened.setDefaultTimeout(PATIENCE_MS);
        await opened.goto(service.httpUrl);
        return await use(new OpenConsole(opened));
      } finally {
        await context.close();
      }
    },
    close: () => browser.close(),
  };
}
