import { type App, openApp } from '@granary/app/app';
import { grantOf, type Limits, limitsWith } from '@granary/core/keys';
import { newDevice } from '@granary/testing/app/fixtures';
import { type Finding, median, whole } from './report.ts';
import { SQLITE, type Storage } from './service-process.ts';

const FACILITIES = 1_000;
const DEVICES = 5_000;
const ROUNDS = 15;
const RATIO_MAX = 1.2;

const names = Array.from({ length: FACILITIES }, (_, n) => `facility ${n}`);
const ONE_GRANT = { grants: [grantOf(['read'], names)] };
const MANY_GRANTS = {
  grants: [grantOf(['operate'], ['facility 0']), ...names.map((name) => grantOf(['read'], [name]))],
};

const READS: Readonly<Record<string, (app: App, limits: Limits, nowMs: number) => Promise<unknown>>> = {
  'the overview': (app, limits, nowMs) => app.fleet.overview(limits, nowMs),
  'a page of devices': (app, limits) =>
    app.devices.list({ group: 'silo', limits, afterDeviceId: 'silo-2500', limit: 100 }),
};

/** Compares lists for a caller with a grant for each of its facilities with lists for a caller with a single grant for all of them. */
export async function measureGrants(
  folder: string,
  { suffix, databaseUrl: url }: Storage = SQLITE,
): Promise<Finding[]> {
  const app = await openApp(url === '' ? { engine: 'sqlite', folder } : { engine: 'postgres', url });
  try {
    for (let n = 0; n < DEVICES; n++) {
      await app.devices.register(newDevice({ deviceId: `silo-${n}`, facility: names[n % FACILITIES] ?? '' }));
    }
    const findings: Finding[] = [];
    for (const [name, read] of Object.entries(READS)) {
      const timed = async ({ grants }: typeof ONE_GRANT): Promise<number> => {
        const startedMs = performance.now();
        await read(app, limitsWith({ grants }, 'read'), Date.now());
        return performance.now() - startedMs;
      };
      const oneMs: number[] = [];
      const manyMs: number[] = [];
      for (let round = -3; round < ROUNDS; round++) {
        const [one, many] = [await timed(ONE_GRANT), await timed(MANY_GRANTS)];
        if (round < 0) continue;
        oneMs.push(one);
        manyMs.push(many);
      }
      const ratio = median(manyMs) / median(oneMs);
      findings.push({
        name: `Time for ${name} with ${whole(FACILITIES)} grants of one facility each, against one grant for all of them${suffix}`,
        target: `at most ${RATIO_MAX}`,
        figure: ratio.toFixed(2),
        met: ratio <= RATIO_MAX,
        detail: `${median(manyMs).toFixed(1)} and ${median(oneMs).toFixed(1)} ms; ${whole(DEVICES)} devices; medians of ${ROUNDS} in turns`,
      });
    }
    return findings;
  } finally {
    await app.close();
  }
}
