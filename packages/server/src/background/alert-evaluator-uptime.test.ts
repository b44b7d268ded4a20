import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { App } from '@granary/app/app';
import { SECOND_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import { Uptime } from './alert-evaluator.ts';

const START_MS = Date.UTC(2026, 5, 15, 12);

describeEachEngine('the start of the observation', (engine) => {
  let app: App;
  let nowMs = START_MS;
  before(async () => {
    app = await engine.open();
  });

  const sinceMs = async () => (await engine.query('SELECT since_ms FROM observation'))[0]?.[0];

  it('is the start of the service, and a later time after nothing could be evaluated for a while', async () => {
    const observation = new Uptime({ app, now: () => nowMs, isReceiving: null });
    const evaluate = () => observation.during((atMs) => app.alerts.evaluateDue({ nowMs: atMs, limit: 1 }));
    await observation.begin();
    assert.equal(await sinceMs(), START_MS);
    for (let round = 0; round < 10; round++) {
      nowMs += 4 * SECOND_MS;
      await evaluate();
    }
    assert.equal(await sinceMs(), START_MS);
    const lost = new Error('the storage is not available');
    for (let round = 0; round < 10; round++) {
      nowMs += SECOND_MS;
      await assert.rejects(observation.during(() => Promise.reject(lost)));
    }
    nowMs += SECOND_MS;
    await evaluate();
    assert(Number(await sinceMs()) >= nowMs - 6 * SECOND_MS);
  });

  it('is a later time after the process was suspended', async () => {
    const observation = new Uptime({ app, now: () => nowMs, isReceiving: null });
    await observation.begin();
    nowMs += 60 * SECOND_MS;
    await observation.during((atMs) => app.alerts.evaluateDue({ nowMs: atMs, limit: 1 }));
    assert.equal(await sinceMs(), nowMs);
  });

  it('is not changed by a node that starts or was away while another one hears the devices', async () => {
    const nodes = [true, true].map((isReceiving) => {
      const uptime = new Uptime({ app, now: () => nowMs, isReceiving: () => isReceiving });
      return () => uptime.during((atMs) => app.alerts.evaluateDue({ nowMs: atMs, limit: 1 }));
    });
    const [first, second] = nodes;
    assert(first !== undefined && second !== undefined);
    nowMs += 60 * SECOND_MS;
    await first();
    const beganMs = nowMs;
    for (let round = 0; round < 10; round++) {
      nowMs += 2 * SECOND_MS;
      await first();
    }
    await second();
    assert.equal(await sinceMs(), beganMs);
    // The first one is away, then the second.
    for (const node of [second, first]) {
      for (let round = 0; round < 10; round++) {
        nowMs += 2 * SECOND_MS;
        await node();
      }
    }
    assert.equal(await sinceMs(), beganMs);
  });

  it('is a later time after no node could hear the devices', async () => {
    let isReceiving = true;
    const uptime = new Uptime({ app, now: () => nowMs, isReceiving: () => isReceiving });
    const evaluate = () => uptime.during((atMs) => app.alerts.evaluateDue({ nowMs: atMs, limit: 1 }));
    await evaluate();
    const beganMs = await sinceMs();
    isReceiving = false;
    for (let round = 0; round < 10; round++) {
      nowMs += SECOND_MS;
      await evaluate();
    }
    assert.equal(await sinceMs(), nowMs);
    isReceiving = true;
    nowMs += SECOND_MS;
    await evaluate();
    assert.equal(await sinceMs(), nowMs);
    assert.notEqual(await sinceMs(), beganMs);
    // The clock of the database is set back.
    nowMs -= 60 * SECOND_MS;
    await evaluate();
    assert.equal(await sinceMs(), nowMs);
    nowMs += 2 * SECOND_MS;
    await evaluate();
    assert.equal(await sinceMs(), nowMs - 2 * SECOND_MS);
  });
});
