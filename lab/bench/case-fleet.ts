import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '@granary/contract/time';
import { ask, mqttAddress, registerSilos } from './farm.ts';
import { generateMqtt } from './generator.ts';
import { type Finding, median, percentile, whole } from './report.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const DEVICES = 5_000;
/** Every tenth silo is nearly empty, so that there are alerts to count and to list. */
const LOW_SHARE = 10;
const LOW_VALUES = { weight: 500, temperature: 18.25, humidity: 55.5 };
const REPORT_MS = 10_000;
const ROUNDS = 5;
const QUESTIONS_PER_ROUND = 200;
const WARM_UP_QUESTIONS = 50;
const VIEW_P99_MS_MAX = 50;
const METRICS_P99_MS_MAX = 10;

const OVERVIEW = '/v1/overview';
const METRICS = '/metrics';
const DEVICE_PAGE = '/v1/devices?include=readings&limit=200';

interface View {
  readonly name: string;
  /** The addresses are requested in turns. */
  readonly paths: readonly string[];
  readonly p99MsMax: number;
}

/** Measures the views of a whole site while all of its devices report. */
export async function measureFleet(dataDir: string): Promise<Finding[]> {
  const service = await startServiceProcess({
    GRANARY_DATA_DIR: dataDir,
    GRANARY_RATE_LIMIT: 'off',
  });
  const ended = new AbortController();
  try {
    const devices = await registerSilos(service, DEVICES);
    const load = {
      ...mqttAddress(service),
      window: 1,
      intervalMs: REPORT_MS,
      durationMs: 600 * SECOND_MS,
    };
    const isLow = (_: unknown, index: number) => index % LOW_SHARE === 0;
    const reports = Promise.all([
      generateMqtt({ ...load, devices: devices.filter((_, i) => !isLow(_, i)) }, ended.signal),
      generateMqtt({ ...load, devices: devices.filter(isLow), values: LOW_VALUES }, ended.signal),
    ]);
    await Promise.race([reports, untilAllReport(service)]);
    const findings = await measureViews(service, [
      { name: `\`GET ${OVERVIEW}\``, paths: [OVERVIEW], p99MsMax: VIEW_P99_MS_MAX },
      { name: `\`GET ${DEVICE_PAGE}\``, paths: await devicePages(service), p99MsMax: VIEW_P99_MS_MAX },
      { name: `\`GET ${METRICS}\``, paths: [METRICS], p99MsMax: METRICS_P99_MS_MAX },
    ]);
    ended.abort();
    await reports;
    return findings;
  } finally {
    await service.stop();
  }
}

interface Overview {
  readonly data: {
    readonly devices: { readonly by_status: { readonly online: number } };
    readonly open_alerts: { readonly warning: { readonly total: number } };
  };
}

async function untilAllReport(service: ServiceProcess): Promise<void> {
  for (;;) {
    const { data } = (await (await ask(service, OVERVIEW)).json()) as Overview;
    const { devices, open_alerts: alerts } = data;
    if (devices.by_status.online === DEVICES && alerts.warning.total >= DEVICES / LOW_SHARE) return;
    await sleep(SECOND_MS);
  }
}

/** The addresses of all pages, because later pages must not cost more than the first. */
async function devicePages(service: ServiceProcess): Promise<string[]> {
  const paths = [DEVICE_PAGE];
  for (let path: string | undefined = DEVICE_PAGE; path !== undefined; ) {
    const answer = await ask(service, path);
    const { page } = (await answer.json()) as { page: { next_cursor: string | null } };
    path =
      page.next_cursor === null ? undefined : `${DEVICE_PAGE}&cursor=${encodeURIComponent(page.next_cursor)}`;
    if (path !== undefined) paths.push(path);
  }
  return paths;
}

async function measureViews(service: ServiceProcess, views: readonly View[]): Promise<Finding[]> {
  const p99Ms = views.map((): number[] => []);
  const medianMs = views.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round++) {
    const questions = round === 0 ? WARM_UP_QUESTIONS : QUESTIONS_PER_ROUND;
    const elapsedMs = views.map((): number[] => []);
    for (let question = 0; question < questions; question++) {
      for (const [index, { paths }] of views.entries()) {
        const startedMs = performance.now();
        await (await ask(service, paths[question % paths.length] ?? '')).arrayBuffer();
        elapsedMs[index]?.push(performance.now() - startedMs);
      }
    }
    if (round === 0) continue;
    for (const [index, values] of elapsedMs.entries()) {
      p99Ms[index]?.push(percentile(values, 0.99));
      medianMs[index]?.push(median(values));
    }
  }
  return views.map(({ name, p99MsMax }, index) => {
    const p99 = median(p99Ms[index] ?? []);
    return {
      name: `${name} with ${whole(DEVICES)} devices`,
      target: `p99 under ${p99MsMax} ms`,
      figure: `${p99.toFixed(1)} ms`,
      met: p99 < p99MsMax,
      detail: `half of them under ${median(medianMs[index] ?? []).toFixed(1)} ms; ${ROUNDS} rounds of ${QUESTIONS_PER_ROUND} requests one after another, with ${whole(DEVICES / (REPORT_MS / SECOND_MS))} messages/s coming in`,
    };
  });
}
