import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Refusal } from '@granary/contract/errors';
import { checkLoggedEvent } from '@granary/contract/logged-event';
import { toIso } from '@granary/contract/time';
import { describePostgres } from '@granary/testing/app/engines';
import { EVERY_WRITE, outcomesOf, prepareRounds } from '@granary/testing/app/every-write';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import type { App } from '../app.ts';
import { SLICES } from '../slices.ts';

const ROUNDS = IS_FULL_SIZE ? 12 : 6;
const ROUNDS_MAX = 60;

const namesOf = (slices: object): string[] =>
  Object.entries(slices)
    .flatMap(([slice, writes]) => Object.keys(writes).map((name) => `${slice}.${name}`))
    .toSorted();

const writesOfStore = Object.fromEntries(
  Object.entries(SLICES).map(([slice, { writes }]) => [slice, writes] as const),
);

/** Checks that the data of every logged event has the schema of its type. */
async function assertEventsKeepContract(app: App): Promise<void> {
  const { newest } = await app.events.bounds();
  let sequence = 0;
  while (sequence < newest) {
    for (const event of await app.events.after({ sequence, limit: 1_000 })) {
      const { type, deviceId, atMs, actor, data } = event;
      const logged = { id: event.sequence, type, device_id: deviceId, at: toIso(atMs), actor, data };
      assert.deepEqual(checkLoggedEvent.faults(logged), [], JSON.stringify(logged));
      sequence = event.sequence;
    }
  }
}

describePostgres('writes of every kind at once', (engine) => {
  it('include every write of the app', () => {
    assert.deepEqual(namesOf(EVERY_WRITE), namesOf(writesOfStore));
  });

  it('never cause a deadlock', async () => {
    const stores = [await engine.open(), await engine.open()];
    const [app] = stores;
    assert(app !== undefined);
    const rows = await prepareRounds(app);
    const succeeded = new Set<string>();
    const areMissing = () => succeeded.size < namesOf(EVERY_WRITE).length;
    for (let round = 1; round <= ROUNDS || (areMissing() && round <= ROUNDS_MAX); round++) {
      const rounds = stores.map((each, node) => ({ app: each, node, round, ...rows }));
      for (const { write, error } of (await Promise.all(rounds.map(outcomesOf))).flat()) {
        if (error === null) succeeded.add(write);
        // PostgreSQL itself counts the deadlocks.
        else assert(error instanceof Refusal, `${write}: ${error}`);
      }
    }
    assert.deepEqual(
      [...succeeded].toSorted(),
      namesOf(EVERY_WRITE),
      'a write that is always refused shows nothing',
    );
    await assertEventsKeepContract(app);
    // PostgreSQL adds the counts of a connection to its statistics at the latest when it ends.
    for (const each of stores) await each.close();
    const [counted] = await engine.query(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    assert.deepEqual(counted, [0]);
  });
});
