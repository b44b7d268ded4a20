import { COLOURED_PIXELS } from '@granary/testing/console/coloured-pixels';
import { launchChromium } from '@granary/testing/server/browser';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ask } from './farm.ts';
import type { ServiceProcess } from './service-process.ts';

/** Pages are slow on a busy machine. */
const PATIENCE_MS = 120_000;

type State = Awaited<ReturnType<BrowserContext['storageState']>>;

/** The operators' page in a browser, with its measurements. */
export class OpenConsole {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Milliseconds from the navigation until this many elements are shown and a frame was drawn after them. */
  async untilShown(selector: string, count: number): Promise<number> {
    return await this.#page.evaluate(`new Promise((resolve, reject) => {
      const look = () => {
        if (performance.now() > ${PATIENCE_MS}) reject(new Error('${selector} is missing'));
        else if (document.querySelectorAll('${selector}').length < ${count}) requestAnimationFrame(look);
        else requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
      };
      look();
    })`);
  }

  /** Milliseconds from the navigation until the chart has a coloured line, and the requests of the page before the line was there. */
  async untilLine(): Promise<{ readonly shownMs: number; readonly requests: number }> {
    return await this.#page.evaluate(`new Promise((resolve, reject) => {
      const look = () => {
        if (performance.now() > ${PATIENCE_MS}) reject(new Error('the line is missing'));
        else if (document.querySelector('.device-chart[aria-busy=false]') === null || ${COLOURED_PIXELS} === 0)
          requestAnimationFrame(look);
        else {
          const shownMs = performance.now();
          const entries = performance.getEntriesByType('resource');
          const line = entries.find(({ name }) => name.includes('/sensors/history?'));
          const before = entries.filter(({ startTime }) => startTime < line.responseEnd);
          // The document itself is the first request.
          resolve({ shownMs, requests: before.length + 1 });
        }
      };
      look();
    })`);
  }

  /** The present page in one file without scripts; it shows how long the browser alone needs. */
  async finishedCopy(): Promise<string> {
    return await this.#page.evaluate(`(() => {
      const copy = document.documentElement.cloneNode(true);
      for (const element of copy.querySelectorAll('script, link')) element.remove();
      const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]);
      const style = document.createElement('style');
      style.textContent = rules.map(({ cssText }) => cssText).join('');
      copy.querySelector('head').append(style);
      return '<!doctype html>' + copy.outerHTML;
    })()`);
  }

  /** Frames per second while the page is scrolled down and up. */
  async scrolledFrames(forMs: number): Promise<number> {
    return await this.#page.evaluate(`new Promise((resolve) => {
      const startedMs = performance.now();
      let frames = 0;
      let step = 40;
      const scroll = () => {
        frames++;
        const before = scrollY;
        scrollBy(0, step);
        if (scrollY === before) step = -step;
        const elapsedMs = performance.now() - startedMs;
        if (elapsedMs < ${forMs}) requestAnimationFrame(scroll);
        else resolve((frames * 1_000) / elapsedMs);
      };
      requestAnimationFrame(scroll);
    })`);
  }

  /** Opens further windows of the same browser at these addresses; resolves when each of them is live. */
  async openWindows(addresses: readonly string[]): Promise<readonly Page[]> {
    const { origin } = new URL(this.#page.url());
    const windows: Page[] = [];
    for (const address of addresses) {
      const page = await this.#page.context().newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(`${origin}/${address}`);
      await page.locator('.app.live').waitFor();
      windows.push(page);
    }
    return windows;
  }

  /** The size of the loaded scripts as they were sent. */
  async scriptKb(): Promise<number> {
    const bytes: number = await this.#page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    return bytes / 1_000;
  }

  /** The time of the next drawn change of the counts in the alarm bar, by the clock of this machine. */
  nextChangeOfAlarms(): Promise<number> {
    return this.#page.evaluate(`new Promise((resolve) => {
      const bar = document.querySelector('.alarm-bar');
      new MutationObserver((_, observer) => {
        observer.disconnect();
        requestAnimationFrame(() => resolve(Date.now()));
      }).observe(bar, { subtree: true, childList: true, characterData: true });
    })`);
  }

  /** Milliseconds from pressing the range of a year until the chart is drawn, in several rounds. */
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
  /** Opens the console in a new context, so that nothing is in the cache; at the overview unless an address is given. */
  open<Result>(use: (page: OpenConsole) => Promise<Result>, address?: string): Promise<Result>;
  close(): Promise<void>;
}

/** A browser that cannot sign in is closed, so that the measurement ends. */
export async function launchConsole(service: ServiceProcess): Promise<ConsoleBrowser> {
  const browser = await launchChromium();
  if (browser === null) throw new Error('the console is measured in Chromium: apt-get install chromium');
  const storageState = await signedIn(browser, service).catch(async (error) => {
    await browser.close();
    throw error;
  });
  return {
    open: async (use, address = '') => {
      const context = await browser.newContext({ storageState, viewport: { width: 1_280, height: 800 } });
      try {
        const opened = await context.newPage();
        opened.setDefaultTimeout(PATIENCE_MS);
        await opened.goto(new URL(address, service.httpUrl).href);
        return await use(new OpenConsole(opened));
      } finally {
        await context.close();
      }
    },
    close: () => browser.close(),
  };
}

/** Signs in by a one-time code, as the printed link does. */
async function signedIn(browser: Browser, service: ServiceProcess): Promise<State> {
  const answer = (await (await ask(service, '/v1/session/codes', {})).json()) as { data: { code: string } };
  const context = await browser.newContext();
  // Without a name the page asks for it first.
  await context.addInitScript("localStorage.setItem('granary.person', 'Bench')");
  const page = await context.newPage();
  await page.goto(`${service.httpUrl}/#sign-in=${answer.data.code}`);
  await page.getByRole('navigation').waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}
