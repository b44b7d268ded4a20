import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { openEventSocket } from './case-alerts.ts';
import { type ConsoleBrowser, launchConsole, type OpenConsole } from './console-browser.ts';
import { ask, mqttAddress, registerSilos, SILOS } from './farm.ts';
import { generateMqtt } from './generator.ts';
import { startBareHttp } from './references.ts';
import { type Finding, median, percentile } from './report.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { StoppableSilo } from './stoppable-device.ts';

const FIRST_VIEW_DEVICES = 200;
const FIRST_VIEW_MS_MAX = 800;
const SCRIPT_KB_MAX = 120;
const EVENT_MS_MAX = 100;
const EVENTS = 150;
const DEVICE_PAGE_DEVICES = 255;
const DEVICE_PAGE_MS_MAX = 800;
const DEVICE_PAGE_REQUESTS_MAX = 12;
const MANY_DEVICES = 1_000;
const MANY_FACILITIES = 100;
/** The window shows fewer rows; the rows after these follow in parts. */
const TABLE_ROWS = 25;
const TABLE_MS_MAX = 1_200;
const WINDOWS = 10;
const STOP_MS_MAX = 500;
const FRAMES_MIN = 55;
const SCROLLED_FOR_MS = 5_000;
const BUSY_SHARE_MAX = 0.5;
const BUSY_FOR_MS = 20_000;
const CHART_MS_MAX = 300;
const ROUNDS = 5;
const HOUR_MS = 60 * MINUTE_MS;
const YEAR_HOURS = 365 * 24;
const BATCH = 1_000;

/** The other tiles are drawn when they are scrolled to. */
const TILES_IN_WINDOW = 9;

/** The number of facilities in which `registerSilos` places the devices. */
const FIRST_VIEW_FACILITIES = 10;
/** The address that shows every device as a tile, even in facilities that would be closed. */
const ALL_TILES = '#/overview?group=none';

/** Measures the operators' page in a real browser. */
export async function measureConsole(dataDir: string): Promise<Finding[]> {
  const service = await startServiceProcess({
    GRANARY_DATA_DIR: dataDir,
    GRANARY_RATE_LIMIT: 'off',
    // The retention allows a year of readings to be sent at once.
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
    const some = await registerSilos(service, DEVICE_PAGE_DEVICES - FIRST_VIEW_DEVICES, { prefix: 'some' });
    findings.push(await measureDevicePage(browser), await measureWindows(service, browser));
    const more = await registerSilos(service, MANY_DEVICES - DEVICE_PAGE_DEVICES - WINDOWS, {
      prefix: 'more',
      facilities: MANY_FACILITIES,
    });
    const reports = generateMqtt(
      {
        ...mqttAddress(service),
        window: 1,
        intervalMs: SECOND_MS,
        devices: [...first, ...some, ...more],
        durationMs: 10 * MINUTE_MS,
      },
      ended.signal,
    );
    findings.push(await Promise.race([measureTable(browser), failed(reports)]));
    findings.push(...(await Promise.race([measureBusy(browser), failed(reports)])));
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

/** Serves a page from a server that does nothing else. */
async function withCopy(html: string, use: (url: string) => Promise<number>): Promise<number> {
  const server = await startBareHttp({ headers: { 'content-type': 'text/html; charset=utf-8' }, body: html });
  try {
    return await use(`http://127.0.0.1:${server.port}/`);
  } finally {
    await server.stop();
  }
}

interface Turns<Shown> {
  readonly shown: readonly Shown[];
  readonly detail: string;
}

/** Opens a view and its finished copy in turns, each with an empty cache; the time of the copy is that of the browser alone. */
async function inTurns<Shown>(
  browser: ConsoleBrowser,
  address: string,
  measure: (page: OpenConsole) => Promise<Shown>,
  measureCopy: (page: OpenConsole) => Promise<number>,
): Promise<Turns<Shown>> {
  const shown: Shown[] = [];
  const ofCopy: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const html = await browser.open(async (page) => {
      shown.push(await measure(page));
      return await page.finishedCopy();
    }, address);
    ofCopy.push(await withCopy(html, (url) => browser.open(measureCopy, url)));
  }
  const detail = `median of ${ROUNDS} loads with an empty cache; the same page as one finished file without scripts ${median(ofCopy).toFixed(0)} ms`;
  return { shown, detail };
}

async function measureFirstView(browser: ConsoleBrowser): Promise<Finding[]> {
  const facilities = (page: OpenConsole): Promise<number> =>
    page.untilShown('.overview-facility', FIRST_VIEW_FACILITIES);
  let scriptKb = 0;
  const measure = async (page: OpenConsole): Promise<number> => {
    const shownMs = await facilities(page);
    scriptKb = await page.scriptKb();
    return shownMs;
  };
  const { shown, detail } = await inTurns(browser, '', measure, facilities);
  const middle = median(shown);
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
      detail: `from the navigation until every facility is there and a frame was drawn after it; ${detail}`,
    },
  ];
}

/** A reading raises an alert; the time runs from sending the reading until the alarm bar shows the alert. */
async function measureEvents(service: ServiceProcess, page: OpenConsole): Promise<Finding> {
  await page.untilShown('.overview-facility', FIRST_VIEW_FACILITIES);
  // Requests that the page makes when it is idle are not part of the measurement.
  await sleep(5 * SECOND_MS);
  const elapsedMs: number[] = [];
  const streamedMs: number[] = [];
  let sentMs = 0;
  const socket = await openEventSocket(service, service.adminKey.key, (text) => {
    if (text.includes('event: alert.raised')) streamedMs.push(Date.now() - sentMs);
  });
  for (let event = 1; event <= EVENTS; event++) {
    const shown = page.nextChangeOfAlarms();
    await sleep(100);
    sentMs = Date.now();
    const deviceId = `silo-${String(event + 1).padStart(4, '0')}`;
    // The weight is below the low level and above the critical level, so it raises one alert.
    await ask(service, `${SILOS}/${deviceId}/telemetry`, { ts: sentMs, weight: 3_000 });
    elapsedMs.push((await shown) - sentMs);
  }
  socket.destroy();
  const slowest = percentile(elapsedMs, 0.99);
  return {
    name: 'console: an event is on the screen',
    target: `99 % within ${EVENT_MS_MAX} ms`,
    figure: `${slowest.toFixed(0)} ms`,
    met: slowest < EVENT_MS_MAX,
    detail: `of ${EVENTS}, half of them within ${median(elapsedMs).toFixed(0)} ms; from sending the reading until the alarm bar counts its alert; 99 % were in the event stream within ${percentile(streamedMs, 0.99).toFixed(0)} ms`,
  };
}

/** Opens the page of a device with the history of a year, beside the other devices, with an empty cache. */
async function measureDevicePage(browser: ConsoleBrowser): Promise<Finding> {
  const { shown, detail } = await inTurns(
    browser,
    '#/devices/silo-0001?range=7d',
    (page) => page.untilLine(),
    (page) => page.untilShown('.device-chart', 1),
  );
  const requests = Math.max(...shown.map(({ requests }) => requests));
  const middle = median(shown.map(({ shownMs }) => shownMs));
  return {
    name: `console: page of a device to its drawn line, ${DEVICE_PAGE_DEVICES} devices`,
    target: `within ${DEVICE_PAGE_MS_MAX} ms, at most ${DEVICE_PAGE_REQUESTS_MAX} requests`,
    figure: `${middle.toFixed(0)} ms, ${requests} requests`,
    met: middle < DEVICE_PAGE_MS_MAX && requests <= DEVICE_PAGE_REQUESTS_MAX,
    detail: `from the navigation until the chart has a coloured line; requests that began before the history was there; ${detail} (but for the line)`,
  };
}

/** Opens one window for each device, and stops the operation of the device there. */
async function measureWindows(service: ServiceProcess, browser: ConsoleBrowser): Promise<Finding> {
  const silos = (await registerSilos(service, WINDOWS, { prefix: 'window' })).map(
    (credentials) => new StoppableSilo(credentials),
  );
  await Promise.all(silos.map((silo) => silo.connect(service)));
  for (const silo of silos) await silo.start();
  const elapsedMs = await browser.open(async (first) => {
    const windows = await first.openWindows(silos.map(({ deviceId }) => `#/devices/${deviceId}`));
    const stoppedMs: number[] = [];
    for (const [index, window] of windows.entries()) {
      const arrived = silos[index]?.nextStop() ?? Promise.resolve(Number.NaN);
      const stop = window.locator('.device-running .button.stop');
      await stop.waitFor();
      const pressedMs = performance.now();
      await stop.dispatchEvent('click');
      stoppedMs.push((await arrived) - pressedMs);
    }
    return stoppedMs;
  });
  await Promise.all(silos.map((silo) => silo.leave()));
  const slowest = Math.max(...elapsedMs);
  return {
    name: `console: a stop in each of ${WINDOWS} windows of one browser is at the device`,
    target: `all live, within ${STOP_MS_MAX} ms`,
    figure: `${slowest.toFixed(0)} ms`,
    met: slowest < STOP_MS_MAX,
    detail: `the slowest of ${WINDOWS}, half of them within ${median(elapsedMs).toFixed(0)} ms; from the press until the device has the stop`,
  };
}

async function measureTable(browser: ConsoleBrowser): Promise<Finding> {
  const rows = (page: OpenConsole): Promise<number> =>
    page.untilShown('.overview-table tbody tr', TABLE_ROWS);
  const { shown, detail } = await inTurns(browser, '#/overview?view=table', rows, rows);
  const middle = median(shown);
  return {
    name: `console: ${MANY_DEVICES} devices in a table interactive, while they report every second`,
    target: `within ${TABLE_MS_MAX} ms`,
    figure: `${middle.toFixed(0)} ms`,
    met: middle < TABLE_MS_MAX,
    detail: `from the navigation until the first ${TABLE_ROWS} rows are there, which fill the window, and a frame was drawn after them; ${detail}`,
  };
}

async function measureBusy(browser: ConsoleBrowser): Promise<Finding[]> {
  const { share, frames, html } = await browser.open(async (page) => {
    await page.untilShown('.overview-tile', TILES_IN_WINDOW);
    await sleep(5 * SECOND_MS);
    return {
      share: await page.busyShare(BUSY_FOR_MS),
      frames: await page.scrolledFrames(SCROLLED_FOR_MS),
      html: await page.finishedCopy(),
    };
  }, ALL_TILES);
  const framesOfCopy = await withCopy(html, (url) =>
    browser.open((page) => page.scrolledFrames(SCROLLED_FOR_MS), url),
  );
  const scrolled = {
    name: `console: frames while ${MANY_DEVICES} tiles are scrolled and report every second`,
    target: `at least ${FRAMES_MIN} per second`,
    figure: frames.toFixed(0),
    met: frames >= FRAMES_MIN,
    detail: `40 pixels with each frame for ${SCROLLED_FOR_MS / SECOND_MS} s, drawn by the processor without a graphics card; the same page without scripts ${framesOfCopy.toFixed(0)}`,
  };
  const busy = {
    name: `console: main thread with ${MANY_DEVICES} devices that report every second`,
    target: `under ${BUSY_SHARE_MAX * 100} % busy`,
    figure: `${(share * 100).toFixed(0)} %`,
    met: share < BUSY_SHARE_MAX,
    detail: `tasks of the page's main thread in ${BUSY_FOR_MS / SECOND_MS} s, with the overview of all devices open`,
  };
  return [busy, scrolled];
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
