import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type App, openApp } from '@granary/app/app';
import { DAY_MS } from '@granary/contract/time';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import type { Reading } from '@granary/core/telemetry/readings';
import { registerDevice } from '@granary/testing/app/fixtures';
import { BenchSilo, timeStops } from './bench-silo.ts';
import { ask, registerSilos, SILOS } from './farm.ts';
import { type Finding, median, percentile, whole } from './report.ts';
import { residentMiB, type ServiceProcess, startServiceProcess } from './service-process.ts';

const STOPS = 100;
const GROWTH_MB_MAX = 100;
const STOP_MS_MAX = 100;
const SAMPLED_EVERY_MS = 500;
/** Every line of the export has at least this many bytes. */
const LINE_BYTES_MIN = 50;
const YEAR_SILO = 'silo-0001';
const DEVICES = 1_000;
const READINGS = 10_000_000;
const SPACING_MS = 10_000;
const YEAR_READINGS = (365 * DAY_MS) / SPACING_MS;
const BATCH = 25_000;
const ROUNDS = 5;
const QUESTIONS_PER_ROUND = 300;
const YEAR_P99_MS_MAX = 8;
const MONTH_P99_MS_MAX = 6;
const READY_MS_MAX = 580;
const RESIDENT_MIB_MAX = 119;
const SETTLE_MS = 5_000;

/** Exports all raw readings of three values with curl, and measures the memory that this needs and the delay of a stop. */
async function measureExport(service: ServiceProcess, readings: number): Promise<Finding[]> {
  const [own] = await registerSilos(service, 1, { prefix: 'stopped' });
  if (own === undefined) throw new Error('no silo was registered');
  const device = await BenchSilo.connect(service, own);
  const before = await timeStops(service, device, STOPS);
  const restMb = await residentMiB(service.pid);
  const beganMs = performance.now();
  let isOver = false;
  let peakMb = restMb;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      peakMb = Math.max(peakMb, await residentMiB(service.pid));
      await sleep(SAMPLED_EVERY_MS);
    }
  };
  const downloading = download(service).finally(() => {
    isOver = true;
  });
  const watching = watch();
  const during = await timeStops(service, device, STOPS);
  const isCovered = !isOver;
  const bytes = await downloading;
  await watching;
  await device.leave();
  const seconds = (performance.now() - beganMs) / 1_000;
  if (bytes < 3 * readings * LINE_BYTES_MIN) throw new Error(`only ${bytes} bytes were exported`);
  const p99 = percentile(during, 0.99);
  return [
    {
      name: `Export of ${whole(readings)} raw readings as CSV`,
      target: `less than ${GROWTH_MB_MAX} MB more memory`,
      figure: `${(peakMb - restMb).toFixed(0)} MB`,
      met: peakMb - restMb < GROWTH_MB_MAX,
      detail: `${restMb.toFixed(0)} MB before, ${peakMb.toFixed(0)} MB at most; ${whole(bytes / 1e6)} MB in ${seconds.toFixed(0)} s`,
    },
    {
      name: 'Stop, while the export runs',
      target: `p99 under ${STOP_MS_MAX} ms`,
      figure: `${p99.toFixed(0)} ms`,
      met: p99 < STOP_MS_MAX,
      detail: `${STOPS} stops${isCovered ? '' : ', the last of them after its end'}; p99 ${percentile(before, 0.99).toFixed(0)} ms without it`,
    },
  ];
}

/** The size of the whole export in bytes; curl fails if it is cut off. */
async function download(service: ServiceProcess): Promise<number> {
  const address = `${service.httpUrl}/v1/readings?from=2000-01-01T00:00:00Z`;
  const curl = spawn('curl', ['-sSf', '-H', '@-', '-o', '/dev/null', '-w', '%{size_download}', address]);
  curl.stdin.end(`Authorization: Bearer ${service.adminKey.key}`);
  let printed = '';
  for await (const chunk of curl.stdout) printed += chunk;
  if (curl.exitCode === null) await once(curl, 'exit');
  if (curl.exitCode !== 0) throw new Error(`curl ended with ${curl.exitCode}`);
  return Number(printed);
}

/** Measures the cost of a long history: at rest, when it is queried, and when it is exported. */
export async function measureLongHistory(dataDir: string): Promise<Finding[]> {
  const endMs = Date.now() - DAY_MS;
  await writeLongHistory(dataDir, endMs, (share) =>
    process.stdout.write(`\r  writing ${Math.round(share * 100)} % `),
  );
  process.stdout.write('\n');
  const start = (): Promise<ServiceProcess> =>
    startServiceProcess({
      GRANARY_DATA_DIR: dataDir,
      GRANARY_RATE_LIMIT: 'off',
      GRANARY_RETENTION_RAW_DAYS: '99999',
      // The history stays at rest: without this setting its readings would be compressed once, as after an upgrade.
      GRANARY_COMPRESS_AFTER_DAYS: 'off',
    });
  const readyMs: number[] = [];
  const residentMiBs: number[] = [];
  const yearMs: number[] = [];
  const monthMs: number[] = [];
  // The first start compiles the code, which Node caches for the others.
  for (let round = -1; round < ROUNDS; round++) {
    const startedMs = performance.now();
    const service = await start();
    await ask(service, '/readyz');
    const elapsedMs = performance.now() - startedMs;
    if (round < 0) {
      await service.stop();
      continue;
    }
    readyMs.push(elapsedMs);
    await sleep(SETTLE_MS);
    residentMiBs.push(await residentMiB(service.pid));
    const { year, month } = await askHistory(service, endMs);
    yearMs.push(percentile(year, 0.99));
    monthMs.push(percentile(month, 0.99));
    await service.stop();
  }
  const findings = [historyFinding(yearMs, monthMs), idleFinding(readyMs, residentMiBs)];
  const service = await start();
  try {
    return [...findings, ...(await measureExport(service, READINGS))];
  } finally {
    await service.stop();
  }
}

async function askHistory(service: ServiceProcess, endMs: number) {
  const year: number[] = [];
  const month: number[] = [];
  const to = new Date(Math.floor(endMs / DAY_MS) * DAY_MS);
  const time = async (days: number): Promise<number> => {
    const from = new Date(to.getTime() - days * DAY_MS).toISOString();
    const path = `${SILOS}/${YEAR_SILO}/sensors/history?interval=1d&from=${from}&to=${to.toISOString()}`;
    const startedMs = performance.now();
    const { data } = (await (await ask(service, path)).json()) as { data: { points: unknown[] } };
    const elapsedMs = performance.now() - startedMs;
    if (data.points.length < days - 1) throw new Error(`${data.points.length} points for ${days} days`);
    return elapsedMs;
  };
  for (let warmUp = 0; warmUp < 50; warmUp++) await time(warmUp % 2 === 0 ? 364 : 30);
  for (let question = 0; question < QUESTIONS_PER_ROUND; question++) {
    year.push(await time(364));
    month.push(await time(30));
  }
  return { year, month };
}

function historyFinding(yearMs: readonly number[], monthMs: readonly number[]): Finding {
  const year = median(yearMs);
  const month = median(monthMs);
  return {
    name: 'History of one year and of one month of 10 s readings as daily points',
    target: `p99 at most ${YEAR_P99_MS_MAX} ms and ${MONTH_P99_MS_MAX} ms`,
    figure: `${year.toFixed(1)} ms and ${month.toFixed(1)} ms`,
    met: year <= YEAR_P99_MS_MAX && month <= MONTH_P99_MS_MAX,
    detail: `p99 over HTTP; ${ROUNDS} rounds of ${QUESTIONS_PER_ROUND} questions each, in turns`,
  };
}

function idleFinding(readyMs: readonly number[], residentMiBs: readonly number[]): Finding {
  const ready = median(readyMs);
  const resident = median(residentMiBs);
  return {
    name: `Idle service with ${whole(DEVICES)} devices and ${whole(READINGS)} stored readings`,
    target: `ready within ${READY_MS_MAX / 1_000} s, at most ${RESIDENT_MIB_MAX} MiB resident`,
    figure: `${(ready / 1_000).toFixed(2)} s, ${whole(resident)} MiB`,
    met: ready <= READY_MS_MAX && resident <= RESIDENT_MIB_MAX,
    detail: `from the start of the command (\`granary serve\`, built form as in the package, code compiled by an earlier start, MALLOC_ARENA_MAX=1 as in \`deploy/granary.service\`) to a good /readyz; resident ${SETTLE_MS / 1_000} s later; ${ROUNDS} starts`,
  };
}

/** Fills a data folder with a thousand silos and ten million readings, a whole year of one silo among them. */
async function writeLongHistory(
  folder: string,
  endMs: number,
  progress: (share: number) => void,
): Promise<void> {
  const app = await openApp({ engine: 'sqlite', folder });
  try {
    const deviceNos = await register(app);
    const [yearSilo = 0] = deviceNos;
    let batch: Reading[] = [];
    let written = 0;
    const add = async (reading: Reading): Promise<void> => {
      batch.push(reading);
      if (batch.length < BATCH) return;
      await app.telemetry.append({ readings: batch, seen: [], rejections: [] });
      written += batch.length;
      batch = [];
      progress(written / READINGS);
    };
    for (let index = YEAR_READINGS; index > 0; index--)
      await add(reading(yearSilo, endMs - index * SPACING_MS));
    const rest = READINGS - YEAR_READINGS;
    const rounds = Math.ceil(rest / (deviceNos.length - 1));
    for (let round = rounds; round > 0; round--) {
      for (const deviceNo of deviceNos.slice(1)) await add(reading(deviceNo, endMs - round * SPACING_MS));
    }
    await app.telemetry.append({ readings: batch, seen: [], rejections: [] });
  } finally {
    await app.close();
  }
}

/** A reading of weight, temperature and humidity. */
const reading = (deviceNo: number, tsMs: number): Reading => ({
  deviceNo,
  tsMs,
  group: STANDARD_SENSORS.weight.lane.group,
  a: 5_000_000 + Math.round(4_000_000 * Math.sin(tsMs / DAY_MS)),
  b: 15_000 + Math.round(5_000 * Math.sin((tsMs * 2 * Math.PI) / DAY_MS)),
  c: 55_000 + (tsMs % 1_000),
  badMask: 0,
});

async function register(app: App): Promise<number[]> {
  const deviceNos: number[] = [];
  while (deviceNos.length < DEVICES) {
    const number = deviceNos.length + 1;
    const deviceId = `silo-${String(number).padStart(4, '0')}`;
    deviceNos.push(await registerDevice(app, { deviceId, facility: `facility-${number % 10}` }));
  }
  return deviceNos;
}
