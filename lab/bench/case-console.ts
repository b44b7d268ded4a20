import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { type ConsoleBrowser, launchConsole, type OpenConsole } from './console-browser.ts';
import { ask, mqttAddress, registerSilos, SILOS } from './farm.ts';
import { generateMqtt } from './generator.ts';
import { type Finding, median, percentile } from './report.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const FIRST_VIEW_DEVICES = 200;
const FIRST_VIEW_MS_MAX = 1_500;
const SCRIPT_KB_MAX = 150;
const EVENT_MS_MAX = 300;
const EVENTS = 30;
const MANY_DEVICES = 1_000;
const BUSY_SHARE_MAX = 0.5;
const BUSY_FOR_MS = 20_000;
const CHART_MS_MAX = 300;
const ROUNDS = 5;
const HOUR_MS = 60 * MINUTE_MS;
const YEAR_HOURS = 365 * 24;
const BATCH = 1_000;

/** Measures the operators' page in a real browser. */
export async function measureConsole(dataDir: string): Promise<Finding[]> {
  const service = await startServiceProcess({
    GRANARY_DATA_DIR: dataDir,
    GRANARY_RATE_LIMIT: 'off',
    // So that a year of readings can be sent at once.
    GRANARY_RETENTION_RAW_DAYS: '400',
  });
  const ended = new AbortController();
  let browser: ConsoleBrowser | undefined;
  try {
    browser = await launchConsole(service);
    const first = await registerSilos(service, FIRST_VIEW_DEVICES);
    await writeYear(service);
    const findings: Finding[] = [
      ...(await measureFirstView(browser)),
      await browser.open((page) => measureEvents(service, page)),
      await browser.open(measureYear),
    ];
    const more = await registerSilos(service, MANY_DEVICES - FIRST_VIEW_DEVICES, { prefix: 'more' });
    const reports = generateMqtt(
      {
        ...mqttAddress(service),
        window: 1,
        intervalMs: SECOND_MS,
        devices: [...first, ...more],
        durationMs: 10 * MINUTE_MS,
      },
      ended.signal,
    );
    findings.push(await Promise.race([browser.open(measureBusy), failed(reports)]));
    ended.abort();
    await reports;
    return findings;
  } finally {
    await browser?.close();
    await service.stop();
  }
}

/** A load that ends early is a fault of the measurement. */
const failed = async (load: Promise<unknown>): Promise<never> => {
  await load;
  throw new Error('the load ended before the measurement');
};

async function measureFirstView(browser: ConsoleBrowser): Promise<Finding[]> {
  const shownMs: number[] = [];
  let scriptKb = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await browser.open(async (page) => {
      shownMs.push(await page.untilTiles(FIRST_VIEW_DEVICES));
      scriptKb = await page.scriptKb();
    });
  }
  const middle = median(shownMs);
  return [
    {
      name: `console: compressed script before the first view of ${FIRST_VIEW_DEVICES} devices`,
      target: `under ${SCRIPT_KB_MAX} KB`,
      figure: `${scriptKb.toFixed(0)} KB`,
      met: scriptKb < SCRIPT_KB_MAX,
      detail: 'all scripts that were loaded until the overview was shown, as sent',
    },
    {
      name: `console: overview of ${FIRST_VIEW_DEVICES} devices interactive`,
      target: `within ${FIRST_VIEW_MS_MAX} ms`,
      figure: `${middle.toFixed(0)} ms`,
      met: middle < FIRST_VIEW_MS_MAX,
      detail: `from the navigation until every tile is there and a frame was drawn after it; median of ${ROUNDS} loads with an empty cache`,
    },
  ];
}

/** An alert is raised by a reading; the time runs from sending the reading until the alarm bar shows it. */
async function measureEvents(service: ServiceProcess, page: OpenConsole): Promise<Finding> {
  await page.untilTiles(FIRST_VIEW_DEVICES);
  const elapsedMs: number[] = [];
  for (let event = 1; event <= EVENTS; event++) {
    const shown = page.nextChangeOfAlarms();
    await sleep(100);
    const sentMs = Date.now();
    const deviceId = `silo-${String(event + 1).padStart(4, '0')}`;
    // Below the low level and above the critical one: one alert.
    await ask(service, `${SILOS}/${deviceId}/telemetry`, { ts: sentMs, weight: 3_000 });
    elapsedMs.push((await shown) - sentMs);
  }
  const slowest = percentile(elapsedMs, 0.99);
  return {
    name: 'console: an event is on the screen',
    target: `within ${EVENT_MS_MAX} ms`,
    figure: `${slowest.toFixed(0)} ms`,
    met: slowest < EVENT_MS_MAX,
    detail: `the slowest of ${EVENTS}, half of them within ${median(elapsedMs).toFixed(0)} ms; from sending the reading until the alarm bar counts its alert`,
  };
}

async function measureBusy(page: OpenConsole): Promise<Finding> {
  await page.untilTiles(MANY_DEVICES);
  await sleep(5 * SECOND_MS);
  const share = await page.busyShare(BUSY_FOR_MS);
  return {
    name: `console: main thread with ${MANY_DEVICES} devices that report every second`,
    target: `under ${BUSY_SHARE_MAX * 100} % busy`,
    figure: `${(share * 100).toFixed(0)} %`,
    met: share < BUSY_SHARE_MAX,
    detail: `tasks of the page's main thread in ${BUSY_FOR_MS / SECOND_MS} s, with the overview of all devices open`,
  };
}

async function measureYear(page: OpenConsole): Promise<Finding> {
  const elapsedMs = await page.chartOfYear('silo-0001', ROUNDS);
  const middle = median(elapsedMs);
  return {
    name: 'console: a year of history is drawn',
    target: `within ${CHART_MS_MAX} ms`,
    figure: `${middle.toFixed(0)} ms`,
    met: middle < CHART_MS_MAX,
    detail: `from pressing "1 y" until the chart is drawn; median of ${ROUNDS}, with the range of a day between them`,
  };
}

async function writeYear(service: ServiceProcess): Promise<void> {
  const nowMs = Date.now();
  for (let hour = YEAR_HOURS; hour > 0; hour -= BATCH) {
    const readings = Array.from({ length: Math.min(BATCH, hour) }, (_, index) => ({
      ts: nowMs - (hour - index) * HOUR_MS,
      weight: 9_000 + 4_000 * Math.sin((hour - index) / 200),
    }));
    await ask(service, `${SILOS}/silo-0001/telemetry`, readings);
  }
}
