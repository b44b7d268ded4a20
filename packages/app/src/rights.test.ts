import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { Refusal } from '@granary/contract/errors';
import { SCOPES } from '@granary/contract/keys';
import { grantOf } from '@granary/core/keys';
import { testAttempt } from '@granary/testing/app/attempts';
import { describeEachEngine } from '@granary/testing/app/engines';
import { EVERY_WRITE, prepareRounds, WHO_MAY } from '@granary/testing/app/every-write';
import { NOW_MS } from '@granary/testing/app/fixtures';
import type { WriteRound } from '@granary/testing/app/write-round';
import type { App } from './app.ts';
import { SLICES } from './slices.ts';

const ROUTES = join(import.meta.dirname, '../../server/src/http');
/** Matches a call in a route that writes for its caller. */
const CALL = /(?:slices|changes\([^()]*\))\s*\.(\w+)\s*\.(\w+)/g;
/** A stored refill, about which a person can note what it was. */
const REFILL = `INSERT INTO refills (refill_id, device_no, from_ms, to_ms, kg, source, in_gap, is_refill)
  VALUES ('rf_lasting', $1, 1, 2, 100, 'scale', 0, 1)`;

/** Some writes need the result of others that run at the same time, and are refused in a round in which those are late. */
const ROUNDS_MAX = 20;

type Writes = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;
type Slices = Readonly<Record<string, Writes>>;

const whoMay = (slice: string, write: string): string | undefined => WHO_MAY[slice]?.[write];

/** A key that may do everything, but only at another site. */
const STRANGER = { keyId: 'key_stranger', grants: [grantOf(SCOPES, ['Elsewhere'])] };
/** A key that could do everything everywhere, and has ended while its request waited. */
const ENDED = { keyId: 'key_ended', grants: [grantOf(SCOPES)] };

const REFUSED_TO: Readonly<Record<string, readonly { readonly keyId: string }[]>> = {
  rights: [STRANGER, ENDED],
  part: [ENDED],
  everybody: [ENDED],
};

/** The names of the writes that callers without the right could carry out, and of those that were shown to be refused. */
interface Found {
  readonly wronglyDone: Set<string>;
  /**
   * The writes that were refused to callers without the right and then done with the same input, so that the refusal was about
   * the rights.
   */
  readonly shown: Set<string>;
}

/** From now on, every write of the app is tried first by callers without the right, with the same input. */
function addStrangers(app: App, { wronglyDone, shown }: Found): void {
  const { audited, once } = app;
  const writesOf = (keyId: string): Slices =>
    audited(
      testAttempt({
        actor: { key_id: keyId, key_name: keyId, actor: null },
        caller: { keyId, sessionHash: null, scope: 'admin', atMs: NOW_MS },
      }),
    ) as unknown as Slices;
  const after = (slices: Slices): Slices =>
    Object.fromEntries(
      Object.entries(SLICES).map(([slice, { writes }]) => {
        const own = slices[slice] ?? {};
        const refused = Object.keys(writes).map((name) => [name, afterStrangers(slice, name, own[name])]);
        return [slice, { ...own, ...Object.fromEntries(refused) }];
      }),
    );
  const afterStrangers =
    (slice: string, name: string, write: Writes[string] | undefined) =>
    async (...args: unknown[]): Promise<unknown> => {
      const strangers = REFUSED_TO[whoMay(slice, name) ?? ''] ?? [];
      const refusals = strangers.map(async ({ keyId }) => {
        const asked = writesOf(keyId)[slice]?.[name]?.(...args);
        const error = await asked?.then(
          () => null,
          (thrown: unknown) => thrown,
        );
        if (!(error instanceof Refusal)) wronglyDone.add(`${slice}.${name} by ${keyId} (${error ?? 'done'})`);
      });
      const [outcome] = await Promise.allSettled([write?.(...args), ...refusals]);
      if (outcome.status === 'rejected') throw outcome.reason;
      if (strangers.length > 0) shown.add(`${slice}.${name}`);
      return outcome.value;
    };
  Object.assign(app, after(app as unknown as Slices), {
    audited: (...asked: Parameters<App['audited']>) => after(audited(...asked) as unknown as Slices),
    once: (...asked: Parameters<App['once']>) => after(once(...asked) as unknown as Slices),
  });
}

const named = (isWanted: (who: string) => boolean): string[] =>
  Object.entries(WHO_MAY)
    .flatMap(([slice, writes]) =>
      Object.entries(writes).flatMap(([name, who]) => (isWanted(who) ? [`${slice}.${name}`] : [])),
    )
    .toSorted();

it('every declared write says who may ask for it', () => {
  const declared = Object.entries(SLICES).flatMap(([slice, { writes }]) =>
    Object.keys(writes).map((name) => `${slice}.${name}`),
  );
  assert.deepEqual(
    named(() => true),
    declared.toSorted(),
  );
});

it('what devices and the clock cause is asked for by no route, and everything else by one', () => {
  const asked = new Set<string>();
  for (const file of readdirSync(ROUTES, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    for (const [, slice, write] of readFileSync(join(ROUTES, file), 'utf8').matchAll(CALL)) {
      asked.add(`${slice}.${write}`);
    }
  }
  assert.deepEqual(
    [...asked].toSorted(),
    named((who) => who !== 'nobody'),
  );
});

describeEachEngine('what a caller may not do', (engine) => {
  it('is refused by every write in its transaction', async () => {
    const app = await engine.open();
    for (const { keyId, grants } of [STRANGER, ENDED]) {
      const rights = { kind: 'service' as const, grants, expiresAtMs: null };
      await app.keys.create({ keyId, hash: keyId, name: keyId, createdAtMs: NOW_MS - 2, ...rights });
    }
    await app.keys.revoke(ENDED.keyId, NOW_MS - 1);
    const found: Found = { wronglyDone: new Set(), shown: new Set() };
    const rows = await prepareRounds(app);
    await engine.query(REFILL.replace('$1', `${rows.silos[0]}`));
    addStrangers(app, found);
    const wanted = named((who) => who in REFUSED_TO);
    const refusals = new Map<string, string>();
    const areMissing = () => wanted.some((write) => !found.shown.has(write));
    for (let round = 1; areMissing() && found.wronglyDone.size === 0 && round <= ROUNDS_MAX; round++) {
      for (const [write, error] of await refusedOf({ app, node: 0, round, ...rows })) {
        const isDecided: boolean = error instanceof Refusal || found.wronglyDone.size > 0;
        assert(isDecided, `${write}: ${error}`);
        refusals.set(write, `${error}`);
      }
    }
    assert.deepEqual([...found.wronglyDone].toSorted(), []);
    const alwaysRefused = wanted.filter((write) => !found.shown.has(write));
    assert.deepEqual(
      alwaysRefused.map((write) => [write, refusals.get(write)]),
      [],
    );
    const entries = await engine.query(
      `SELECT action FROM audit WHERE key_id IN ('${STRANGER.keyId}', '${ENDED.keyId}')`,
    );
    assert.deepEqual(entries, [], 'nothing of a refused write stays');
  });
});

/** Runs every write once, one after the other, so that few rounds are enough; returns those that were refused. */
async function refusedOf(round: WriteRound): Promise<[write: string, error: unknown][]> {
  const refused: [write: string, error: unknown][] = [];
  for (const [slice, writes] of Object.entries(EVERY_WRITE)) {
    for (const [name, write] of Object.entries(writes)) {
      for (const outcome of await Promise.allSettled(write(round))) {
        if (outcome.status === 'rejected') refused.push([`${slice}.${name}`, outcome.reason]);
      }
    }
  }
  return refused;
}
