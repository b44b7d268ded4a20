import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedLookUp } from './keyring.ts';

interface Query {
  readonly hashes: readonly string[];
  readonly answer: (found: ReadonlyMap<string, string>) => void;
  readonly fail: (error: Error) => void;
}

function rig() {
  const queries: Query[] = [];
  const lookUp = new SharedLookUp<string>((hashes) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
    queries.push({ hashes, answer: resolve, fail: reject });
    return promise;
  });
  return { queries, lookUp };
}

test('a flood of unknown keys costs few queries, and a good key among them is found', async () => {
  const { queries, lookUp } = rig();
  const unknown = Array.from({ length: 1_200 }, (_, i) => lookUp.find(`unknown-${i}`));
  const good = lookUp.find('good');
  // The answer to one query begins the next one.
  for (const { answer } of queries) {
    answer(new Map([['good', 'the key']]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(await good, 'the key');
  assert.deepEqual([...new Set(await Promise.all(unknown))], [undefined]);
  assert.deepEqual(
    queries.map(({ hashes }) => hashes.length),
    [1, 1, 500, 500, 199],
  );
});

test('a key that is looked up twice at once is asked for once, and never joins a running query', async () => {
  const { queries, lookUp } = rig();
  const busy = [lookUp.find('a'), lookUp.find('b')];
  const again = [lookUp.find('a'), lookUp.find('a')];
  queries[0]?.answer(new Map([['a', 'before the change']]));
  assert.equal(await busy[0], 'before the change');
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(queries[2]?.hashes, ['a']);
  queries[2]?.answer(new Map([['a', 'after the change']]));
  assert.deepEqual(await Promise.all(again), ['after the change', 'after the change']);
  queries[1]?.answer(new Map());
  assert.equal(await busy[1], undefined);
});

test('a query that fails fails for those that asked, and the next one runs', async () => {
  const { queries, lookUp } = rig();
  const failing = lookUp.find('a');
  queries[0]?.fail(new Error('no answer'));
  await assert.rejects(failing, /no answer/);
  const next = lookUp.find('a');
  queries[1]?.answer(new Map([['a', 'found']]));
  assert.equal(await next, 'found');
});
