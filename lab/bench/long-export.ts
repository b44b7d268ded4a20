import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchSilo, timeStops } from './bench-silo.ts';
import { registerSilos } from './farm.ts';
import { type Finding, percentile, whole } from './report.ts';
import { residentMiB, type ServiceProcess } from './service-process.ts';

const STOPS = 100;
const GROWTH_MB_MAX = 100;
const STOP_MS_MAX = 100;
const SAMPLED_EVERY_MS = 500;
/** No line of the export is shorter. */
const LINE_BYTES_MIN = 50;

/** Exports all raw readings of three values with curl: the memory it needs, and what it costs a stop. */
export async function measureExport(service: ServiceProcess, readings: number): Promise<Finding[]> {
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
