import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '@granary/contract/time';
import { BenchDevice } from './device.ts';
import { registerSilos } from './farm.ts';
import { type Finding, percentile, whole } from './report.ts';
import { residentMiB } from './resident.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { timeStops } from './stops.ts';

const READINGS = 10_000_000;
const SILOS = 100;
const SPACING_MS = 10_000;
const STOPS = 100;
const GROWTH_MB_MAX = 100;
const STOP_MS_MAX = 100;
const SAMPLED_EVERY_MS = 500;
/** No line of the export is shorter. */
const LINE_BYTES_MIN = 50;

/** Exports ten million raw readings of three values with curl: the memory it needs, and what it costs a stop. */
export async function measureExport(dataDir: string): Promise<Finding[]> {
  const env = {
    GRANARY_DATA_DIR: dataDir,
    GRANARY_RATE_LIMIT: 'off',
    GRANARY_RETENTION_RAW_DAYS: '99999',
    // The case `disk` measures the export of compressed readings.
    GRANARY_COMPRESS_AFTER_DAYS: 'off',
  };
  const first = await startServiceProcess(env);
  const [own] = await registerSilos(first, SILOS);
  await first.stop();
  if (own === undefined) throw new Error('no silo was registered');
  writeReadings(join(dataDir, 'granary.db'));

  const service = await startServiceProcess(env);
  const device = await BenchDevice.connect(service, own);
  try {
    const before = await timeStops(service, device, own.username, STOPS);
    const restMb = await residentMiB(service.pid);
    const beganMs = performance.now();
    const running = { isOver: false, peakMb: restMb };
    const downloading = download(service).finally(() => {
      running.isOver = true;
    });
    const watching = watch(service.pid, running);
    const during = await timeStops(service, device, own.username, STOPS);
    const isCovered = !running.isOver;
    const bytes = await downloading;
    await watching;
    const seconds = (performance.now() - beganMs) / 1_000;
    if (bytes < 3 * READINGS * LINE_BYTES_MIN) throw new Error(`only ${bytes} bytes were exported`);
    const [p99Before, p99During] = [percentile(before, 0.99), percentile(during, 0.99)];
    return [
      {
        name: `Export of ${whole(READINGS)} raw readings as CSV`,
        target: `less than ${GROWTH_MB_MAX} MB more memory`,
        figure: `${(running.peakMb - restMb).toFixed(0)} MB`,
        met: running.peakMb - restMb < GROWTH_MB_MAX,
        detail: `${restMb.toFixed(0)} MB before, ${running.peakMb.toFixed(0)} MB at most; ${whole(bytes / 1e6)} MB in ${seconds.toFixed(0)} s`,
      },
      {
        name: 'Stop, while the export runs',
        target: `p99 under ${STOP_MS_MAX} ms`,
        figure: `${p99During.toFixed(0)} ms`,
        met: p99During < STOP_MS_MAX,
        detail: `${STOPS} stops${isCovered ? '' : ', the last of them after its end'}; p99 ${p99Before.toFixed(0)} ms without it`,
      },
    ];
  } finally {
    await device.leave();
    await service.stop();
  }
}

/** Written directly, because only the table that is exported matters here. */
function writeReadings(file: string): void {
  const database = new DatabaseSync(file);
  const rounds = READINGS / SILOS;
  const firstMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - rounds * SPACING_MS;
  database.exec(`
    WITH RECURSIVE times(ts_ms) AS (
      SELECT ${firstMs} UNION ALL SELECT ts_ms + ${SPACING_MS} FROM times LIMIT ${rounds}
    )
    INSERT INTO readings (ts_ms, device_no, sensor_group, a, b, c)
    SELECT ts_ms, device_no, 1, 500000 + ts_ms % 977, 15000 + device_no, 55000 + ts_ms % 1000
    FROM times CROSS JOIN devices`);
  database.close();
}

/** The bytes of the whole export; curl fails if it is cut off. */
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

async function watch(pid: number, running: { readonly isOver: boolean; peakMb: number }): Promise<void> {
  while (!running.isOver) {
    running.peakMb = Math.max(running.peakMb, await residentMiB(pid));
    await sleep(SAMPLED_EVERY_MS);
  }
}
