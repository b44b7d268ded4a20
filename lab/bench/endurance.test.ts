import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { ask, countReadings, mqttAddress, registerSilos } from './farm.ts';
import { generateMqtt, generatePaced } from './generator.ts';
import { median, whole } from './report.ts';
import { residentMiB, SQLITE, startBenchService } from './service-process.ts';

/**
 * The number of devices, so large that none of them measures more than once in a millisecond: readings with the same time
 * replace each other.
 */
const DEVICES = 200;
const WINDOW = 100;
const CAPACITY_MS = (IS_FULL_SIZE ? 3 : 0.5) * SECOND_MS;
const DURATION_MS = IS_FULL_SIZE ? 10 * MINUTE_MS : 3 * SECOND_MS;
const OVERLOAD = 1.2;

/** The test fails only for lost readings; memory and times are reported, because they depend on the machine. */
test('devices that measure a fifth more than can be stored lose nothing that was acknowledged', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'granary-endurance-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));
  const service = await startBenchService(folder, SQLITE);
  t.after(() => service.kill());
  const devices = await registerSilos(service, DEVICES);
  const load = { ...mqttAddress(service), devices, window: WINDOW };
  const saturate = async () => {
    const result = await generateMqtt({ ...load, intervalMs: 0, durationMs: CAPACITY_MS });
    // The times of a burst are ahead of the clock, so the test waits until no later reading can have one of them.
    await sleep(SECOND_MS);
    return result;
  };
  const warmUp = await saturate();
  const full = await saturate();

  const samples: number[] = [];
  const ended = new AbortController();
  const sampling = sampleMemory(service.pid, samples, ended.signal);
  const perSecond = full.perSecond * OVERLOAD;
  const paced = await generatePaced({ ...load, perSecond, durationMs: DURATION_MS });
  const recoveredMs = await timeUntilCalm(() => ask(service, '/livez'));
  ended.abort();
  await sampling;

  const third = Math.ceil(samples.length / 3);
  const mib = [samples.slice(0, third), samples.slice(third, -third), samples.slice(-third)].map((part) =>
    whole(median(part)),
  );
  t.diagnostic(
    `capacity ${whole(full.perSecond)}/s; ${whole(paced.acknowledged)} acknowledged in ${DURATION_MS / SECOND_MS} s, ${whole(paced.notSent)} not sent because the window was full`,
  );
  t.diagnostic(
    `resident MiB, medians of the thirds: ${mib.join(', ')}, at most ${whole(Math.max(...samples))}`,
  );
  t.diagnostic(
    `after the end: last acknowledgement ${whole(paced.lastAckMs)} ms, quick answers ${whole(recoveredMs)} ms later`,
  );
  const ids = devices.map(({ username }) => username);
  assert.equal(
    await countReadings(service, ids),
    warmUp.acknowledged + full.acknowledged + paced.acknowledged,
  );
});

async function sampleMemory(pid: number, samples: number[], ended: AbortSignal): Promise<void> {
  do {
    samples.push(await residentMiB(pid));
    await sleep(SECOND_MS);
  } while (!ended.aborted);
}

const CALM_ANSWERS = 5;
const CALM_MS = 50;
const ATTEMPTS = 100;

/** The time until several answers in a row are quick, or until the last attempt. */
async function timeUntilCalm(request: () => Promise<Response>): Promise<number> {
  const startedMs = performance.now();
  let calm = 0;
  for (let attempt = 0; calm < CALM_ANSWERS && attempt < ATTEMPTS; attempt++) {
    const sentMs = performance.now();
    await (await request()).arrayBuffer();
    calm = performance.now() - sentMs < CALM_MS ? calm + 1 : 0;
  }
  return performance.now() - startedMs;
}
