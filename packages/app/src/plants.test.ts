import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { describeEachEngine } from '@granary/testing/app/engines';
import { isRefusal, NOW_MS } from '@granary/testing/app/fixtures';
import type { App } from './app.ts';

const INT64_MIN = '-9223372036854775808';
const INT64_MAX = '9223372036854775807';

describeEachEngine('plants', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const create = (id: string, name = `plant ${id}`, tag: string | null = null) =>
    app.plants.create({ id, name, tag, nowMs: NOW_MS });

  it('keep every digit of an id, at both ends of 64 bits and around 2^53, and their order', async () => {
    const ids = [
      INT64_MIN,
      '-9223372036854775807',
      '-1',
      '0',
      '10',
      '9007199254740992',
      '9007199254740993',
      '9223372036854775806',
      INT64_MAX,
    ];
    for (const id of ids.toReversed()) await create(id);
    for (const id of ids) assert.equal((await app.plants.find(id))?.name, `plant ${id}`);
    assert.equal(await app.plants.find('9007199254740994'), undefined);
    const all = await app.plants.list({ after: null, limit: 100 });
    assert.deepEqual(
      all.map(({ id }) => id),
      ids,
    );
    const page = async (after: string, limit: number) =>
      (await app.plants.list({ after, limit })).map(({ id }) => id);
    assert.deepEqual(await page('9007199254740992', 2), ['9007199254740993', '9223372036854775806']);
    assert.deepEqual(await page(INT64_MIN, 2), ids.slice(1, 3));
    assert.deepEqual(await page(INT64_MAX, 2), []);
  });

  it('are found as they were created, whatever characters their names have', async () => {
    const name = 'Monstera "deliciosa" \0 \ud800 🌿';
    const plant = await create('42', name, '');
    assert.deepEqual(plant, { id: '42', name, tag: '', createdAtMs: NOW_MS });
    assert.deepEqual(await app.plants.find('42'), plant);
    assert.equal((await create('43')).tag, null);
    assert.equal((await app.plants.find('43'))?.tag, null);
  });

  it('are created once under an id, also by many at once', async () => {
    const other = await engine.open();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? app : other).plants.create({ id: '77', name: `${n}`, tag: null, nowMs: NOW_MS }),
      ),
    );
    const created = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    assert.equal(created.length, 1);
    assert(refused.every(isRefusal('plant_exists')));
    assert.deepEqual(await other.plants.find('77'), created[0]);
  });

  it('are answered with the first result when the request is repeated with its idempotency key', async () => {
    const idempotencyKey = {
      keyId: 'key',
      key: 'again',
      fingerprint: 'f',
      nowMs: NOW_MS,
      encryptedSecret: null,
    };
    const plant = { id: '99', name: 'Fern', tag: null, nowMs: NOW_MS };
    const first = await app.once(idempotencyKey).plants.create(plant);
    const second = await app.once(idempotencyKey).plants.create(plant);
    assert.deepEqual([first.replayed, second.replayed], [false, true]);
    assert.deepEqual(second.result, first.result);
  });
});
