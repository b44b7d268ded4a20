import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ValuesStored } from '../effects.ts';
import { CurrentValuesCache } from './current-values-cache.ts';
import type { CurrentValues } from './telemetry.ts';

const DEVICE_NO = 7;
const DEVICE_ID = 'silo-7';

const stored = (deviceNo: number): ValuesStored => ({ kind: 'values_stored', deviceNos: [deviceNo] });

/** A test compares these values only by identity. */
const values = (): CurrentValues =>
  ({ deviceNo: DEVICE_NO, deviceId: DEVICE_ID, latest: {} }) as unknown as CurrentValues;

/** A storage that answers when the test resolves its promises. */
function heldStorage() {
  const asked: PromiseWithResolvers<CurrentValues | undefined>[] = [];
  const read = (): Promise<CurrentValues | undefined> => {
    const answer = Promise.withResolvers<CurrentValues | undefined>();
    asked.push(answer);
    return answer.promise;
  };
  return { asked, read };
}

/** Reads once, running `meanwhile` before the answer, then reads again; returns how often the storage was asked. */
async function readTwice(cache: CurrentValuesCache, meanwhile: () => void): Promise<number> {
  const { asked, read } = heldStorage();
  const cached = cache.over(read);
  const first = cached(DEVICE_ID);
  meanwhile();
  asked[0]?.resolve(values());
  await first;
  const second = cached(DEVICE_ID);
  asked[1]?.resolve(values());
  await second;
  return asked.length;
}

describe('CurrentValuesCache', () => {
  it('asks the storage once for values that do not change', async () => {
    assert.equal(await readTwice(new CurrentValuesCache(), () => undefined), 1);
  });

  it('does not keep values that changed while they were read', async () => {
    const changes: ((cache: CurrentValuesCache) => void)[] = [
      (cache) => void cache.committed([stored(DEVICE_NO)]),
      (cache) => void cache.committed([stored(1), { kind: 'device_updated', deviceId: DEVICE_ID }]),
      (cache) => cache.forget({ deviceNos: [DEVICE_NO], deviceIds: [] }),
      (cache) => cache.forgetAll(),
    ];
    for (const change of changes) {
      const cache = new CurrentValuesCache();
      assert.equal(await readTwice(cache, () => change(cache)), 2, change.toString());
    }
  });

  it('keeps values while other devices change', async () => {
    const cache = new CurrentValuesCache();
    const change = (): void =>
      void cache.committed([stored(1), { kind: 'device_updated', deviceId: 'silo-1' }]);
    assert.equal(await readTwice(cache, change), 1);
  });

  it('asks again after a change', async () => {
    const cache = new CurrentValuesCache();
    assert.equal(await readTwice(cache, () => undefined), 1);
    cache.committed([stored(DEVICE_NO)]);
    assert.equal(await readTwice(cache, () => undefined), 1);
    cache.forgetAll();
    assert.equal(await readTwice(cache, () => undefined), 1);
  });

  it('says which devices a write has changed', () => {
    const changed = new CurrentValuesCache().committed([
      stored(3),
      { kind: 'events_logged' },
      { kind: 'device_updated', deviceId: 'rover-1' },
    ]);
    assert.deepEqual([...changed.deviceNos], [3]);
    assert.deepEqual(changed.deviceIds, ['rover-1']);
  });

  it('keeps nothing while changes of other nodes are not reported, nor longer than its limit', async () => {
    assert.equal(await readTwice(new CurrentValuesCache({ isUsable: () => false }), () => undefined), 2);
    assert.equal(await readTwice(new CurrentValuesCache({ ageMsMax: 0 }), () => undefined), 2);
  });
});
