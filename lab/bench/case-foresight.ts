import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type App, openApp } from '@granary/app/app';
import { type DueLook, reads } from '@granary/app/foresight/foresight';
import { openReads, type Reads, type StoreLocation } from '@granary/app/open-reads';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import type { Reading } from '@granary/core/telemetry/readings';
import { registerDevice } from '@granary/testing/app/fixtures';
import { BenchSilo, timeStops } from './bench-silo.ts';
import { registerSilos } from './farm.ts';
import { type Finding, median, percentile, whole } from './report.ts';
import { SQLITE, type Storage, startServiceProcess } from './service-process.ts';
import { TURNS_FILE, type TurnFigures, turnsSinceLast } from './turn-watch.ts';

/** A twentieth of the silos of the goal, which is 8 s for 10,000 silos and 1 s for an hour in which few of them have changed. */
const SILOS = 500;
const DAYS = 16;
/** Only the last days have a weight every five minutes, because a forecast does not read older weights again. */
const FINE_DAYS = 2;
const READINGS_PER_BATCH = 2_000;
const SILOS_PER_JOB = 16;
const SILOS_PER_LOOK = 1_000;
const ALL_S_MAX = 0.4;
const SOME_S_MAX = 0.05;
const TURN_MS_MAX = 5;
const STOPS = 100;
const STOP_P99_MS_MAX = 25;
/** The share of silos whose forecasts are made while the service still starts. */
const EARLY = 0.2;
/** The share of silos that have new readings in the hour. */
const CHANGED = 0.05;
const HOURS = 3;
const STEP_MS = 5 * MINUTE_MS;
const TIME_ZONE = 'UTC';
const WEIGHT = STANDARD_SENSORS.weight.lane;

/**
 * Measures the forecasts of many silos with their reads and writes: the first ones in a service, all again, and those of an
 * hour with few changes.
 */
export async function measureForesight(folder: string, storage: Storage = SQLITE): Promise<Finding[]> {
  const location: StoreLocation =
    storage === SQLITE ? { engine: 'sqlite', folder } : { engine: 'postgres', url: storage.databaseUrl };
  const endMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const startMs = endMs - DAYS * DAY_MS;
  const weighFrom = async (
    app: App,
    silos: readonly number[],
    fromMs: number,
    stepMs: number,
    toMs: number,
  ) => {
    for (let atMs = fromMs; atMs < toMs; atMs += stepMs) {
      await weigh(app, silos, atMs, (atMs - startMs) / HOUR_MS);
    }
  };
  const silos: number[] = [];
  const before = await openApp(location);
  while (silos.length < SILOS) silos.push(await registerDevice(before));
  const fineMs = endMs - FINE_DAYS * DAY_MS;
  await weighFrom(before, silos, startMs, HOUR_MS, fineMs);
  await weighFrom(before, silos, fineMs, STEP_MS, endMs);
  await before.close();
  const store = await openReads(location);
  const first = await firstForecasts(folder, storage, store).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const app = await openApp(location);
  try {
    // The first hours do not count, because in a service a thread has run this code for a long time.
    let again: Taken = { seconds: 0, processorSeconds: 0 };
    let atMs = endMs;
    for (let hour = 0; hour < HOURS; hour++) {
      await weighFrom(app, silos, atMs, STEP_MS, atMs + HOUR_MS);
      atMs += HOUR_MS;
      again = await forecast(app, store, silos, atMs);
    }
    const some = silos.slice(0, SILOS * CHANGED);
    await weighFrom(app, some, atMs, STEP_MS, atMs + HOUR_MS);
    atMs += HOUR_MS;
    const look = await timed(() => lookAtAll(store, atMs));
    const few = await forecast(app, store, some, atMs);
    const fewSeconds = few.processorSeconds + look.processorSeconds;
    return [
      {
        name: `Forecasts of ${whole(SILOS)} silos, with reads and writes${storage.suffix}`,
        target: `${ALL_S_MAX} s of one processor`,
        figure: `${again.processorSeconds.toFixed(2)} s`,
        met: again.processorSeconds <= ALL_S_MAX,
        detail: `${again.seconds.toFixed(2)} s by the clock; an hour after the last ones; the first ones, of ${DAYS} days, took ${first.seconds.toFixed(1)} s in a service`,
      },
      {
        name: `An hour in which ${CHANGED * 100} % of the silos have changed${storage.suffix}`,
        target: `${SOME_S_MAX} s of one processor`,
        figure: `${fewSeconds.toFixed(3)} s`,
        met: fewSeconds <= SOME_S_MAX,
        detail: `${(few.seconds + look.seconds).toFixed(3)} s by the clock; ${look.processorSeconds.toFixed(3)} s to look which ones`,
      },
      {
        name: `Longest turn of the main thread while the first forecasts are made${storage.suffix}`,
        target: `${TURN_MS_MAX} ms of processor time`,
        figure: `${first.turns.longestCpuMs.toFixed(1)} ms`,
        met: first.turns.longestCpuMs <= TURN_MS_MAX,
        detail: `${whole(first.turns.turns)} turns, the longest with what others took ${first.turns.longestMs.toFixed(0)} ms`,
      },
      {
        name: `Stop, from the request to the device's receipt, while the first forecasts are made${storage.suffix}`,
        target: `p99 at most ${STOP_P99_MS_MAX} ms`,
        figure: `${percentile(first.stopsMs, 0.99).toFixed(0)} ms`,
        met: percentile(first.stopsMs, 0.99) <= STOP_P99_MS_MAX,
        detail: `${STOPS} stops, half of them under ${median(first.stopsMs).toFixed(0)} ms; of as many when they were made half under ${median(first.laterStopsMs).toFixed(0)} ms, p99 ${percentile(first.laterStopsMs, 0.99).toFixed(0)} ms`,
      },
    ];
  } finally {
    await store.close();
    await app.close();
  }
}

interface FirstForecasts {
  readonly seconds: number;
  readonly turns: TurnFigures;
  readonly stopsMs: readonly number[];
  /** The stops after all forecasts were made. */
  readonly laterStopsMs: readonly number[];
}

/** Measures how long a service that has just started needs for the first forecasts, with the turns of its main thread and stops meanwhile. */
async function firstForecasts(folder: string, storage: Storage, store: Reads): Promise<FirstForecasts> {
  const turnsFile = join(folder, 'turns.json');
  const service = await startServiceProcess({
    GRANARY_DATA_DIR: folder,
    GRANARY_DATABASE_URL: storage.databaseUrl,
    GRANARY_TIME_ZONE: TIME_ZONE,
    NODE_OPTIONS: `--import ${new URL('./turn-watch.ts', import.meta.url).href}`,
    [TURNS_FILE]: turnsFile,
  });
  try {
    const untilMade = async (count: number): Promise<void> => {
      const counted = 'SELECT COUNT(*) AS made FROM forecasts';
      for (let made = 0; made < count; await sleep(20)) {
        [{ made } = { made }] = await store.use((sql) => sql.query<{ made: number }>(counted));
      }
    };
    const { seconds: early } = await timed(() => untilMade(SILOS * EARLY));
    const [own] = await registerSilos(service, 1);
    if (own === undefined) throw new Error('no silo was registered');
    const device = await BenchSilo.connect(service, own);
    await device.weigh(10_000);
    // The turns of the start do not count.
    await turnsSinceLast(service, turnsFile);
    const [{ seconds: late }, stopsMs] = await Promise.all([
      timed(() => untilMade(SILOS)),
      timeStops(service, device, STOPS),
    ]);
    const turns = await turnsSinceLast(service, turnsFile);
    const laterStopsMs = await timeStops(service, device, STOPS);
    await device.leave();
    return { seconds: early + late, turns, stopsMs, laterStopsMs };
  } finally {
    await service.stop();
  }
}

/** A weight of each silo, which falls by 2.5 % of the capacity a day and is filled again. */
async function weigh(app: App, silos: readonly number[], tsMs: number, hour: number): Promise<void> {
  for (let start = 0; start < silos.length; start += READINGS_PER_BATCH) {
    const readings = silos.slice(start, start + READINGS_PER_BATCH).map((deviceNo): Reading => {
      const grams = 9_000_000 - Math.round(((hour + deviceNo) % 240) * 10_000);
      return { deviceNo, tsMs, group: WEIGHT.group, a: grams, b: null, c: null, badMask: 0 };
    });
    await app.telemetry.append({ readings, seen: [], rejections: [] });
  }
}

/** Makes forecasts in the way of the service. */
const forecast = (app: App, store: Reads, silos: readonly number[], nowMs: number): Promise<Taken> =>
  timed(async () => {
    const wish = { nowMs, timeZone: TIME_ZONE, horizonDays: 0 };
    for (let at = 0; at < silos.length; at += SILOS_PER_JOB) {
      const part = silos.slice(at, at + SILOS_PER_JOB);
      const { outcomes } = await store.use((sql) => reads.makeForecasts(sql, part, wish));
      await app.foresight.save({ outcomes, nowMs });
    }
  });

async function lookAtAll(store: Reads, nowMs: number): Promise<void> {
  for (let afterNo: number | null = 0; afterNo !== null; ) {
    const look: DueLook = { afterNo, limit: SILOS_PER_LOOK, nowMs };
    ({ lastNo: afterNo } = await store.use((sql) => reads.due(sql, look)));
  }
}

interface Taken {
  readonly seconds: number;
  /** The processor time of all threads of this process. */
  readonly processorSeconds: number;
}

async function timed(work: () => Promise<void>): Promise<Taken> {
  const [startMs, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - startMs) / 1_000, processorSeconds: (user + system) / 1e6 };
}
