import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { Refusal } from '@granary/contract/errors';
import { READINGS_MAX, READINGS_PER_CALLER_MAX, readYaml, writeYaml } from './yaml.ts';

const refusalOf = async (yaml: string): Promise<string> => {
  const error = await readYaml(yaml, 'key').then(
    () => undefined,
    (refusal: unknown) => refusal,
  );
  assert(error instanceof Refusal, `${yaml.slice(0, 40)} was accepted`);
  return `${error.code}: ${error.message}`;
};

describe('YAML', () => {
  it('is read like JSON', async () => {
    const value = { version: 1, devices: [{ name: 'Silo: 1', on: 'yes', share: 0.5, none: null, list: [] }] };
    assert.deepEqual(await readYaml(await writeYaml(value), 'key'), value);
    assert.deepEqual(await readYaml(JSON.stringify(value), 'key'), value);
  });

  it('that is written is read as the same texts by older readers', async () => {
    assert.match(await writeYaml({ on: 'yes', number: '012' }), /"on": "yes"\nnumber: "012"/);
  });

  it('is read in one thread at a time', async () => {
    let threads = 0;
    let most = 0;
    const count = (thread: Worker): void => {
      most = Math.max(most, ++threads);
      thread.once('exit', () => threads--);
    };
    process.on('worker', count);
    try {
      const documents = ['[1]', '[', '[2]'].map((yaml, key) => readYaml(yaml, `key ${key}`));
      const outcomes = await Promise.allSettled(documents);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
    } finally {
      process.off('worker', count);
    }
    assert.equal(most, 1);
  });

  it('that takes too long to read is refused, and a document that is written does not wait for it', async () => {
    const brackets = '['.repeat(900_000);
    let isRefused = false;
    const refusing = refusalOf(brackets).finally(() => {
      isRefused = true;
    });
    await writeYaml({ version: 1 });
    assert.equal(isRefused, false);
    assert.equal(await refusing, 'malformed_yaml: the body is not valid YAML: it takes too long to read');
  });

  it('with many keys is read in a time that grows with their number', async () => {
    const keys = Array.from({ length: 15_000 }, (_, index) => `key-${index}: 1`);
    assert.equal(Object.keys((await readYaml(keys.join('\n'), 'key')) as object).length, keys.length);
  });

  it('of one caller and of all is read in a limited number, and others are refused at once', async () => {
    const read = (key: string) => readYaml('[1]', key);
    const ofOne = Array.from({ length: READINGS_PER_CALLER_MAX }, () => read('one'));
    await assert.rejects(read('one'), { code: 'rate_limited' });
    const ofOthers = Array.from({ length: READINGS_MAX - READINGS_PER_CALLER_MAX }, (_, key) =>
      read(`${key}`),
    );
    await assert.rejects(read('late'), { code: 'rate_limited' });
    await Promise.all([...ofOne, ...ofOthers]);
    assert.deepEqual(await read('late'), [1]);
  });

  const refused: Readonly<Record<string, readonly [yaml: string, expected: RegExp]>> = {
    'a duplicate key': ['a: 1\na: 2', /^malformed_yaml: .* unique at line 2, column 1$/],
    'an open bracket': ['a: [1', /^malformed_yaml: .* at line 1, column 6$/],
    'an alias': ['a: &x [1]\nb: *x', /^malformed_yaml: .*aliases/],
    'an unknown tag': ['a: !!js/function "x"', /^malformed_yaml: .*tag/],
    'two documents': ['--- 1\n--- 2', /^malformed_yaml: .*multiple documents/],
    'brackets without end': ['['.repeat(5_000), /^malformed_yaml: /],
    'too many parts': ['- {a: 1, b: 2}\n'.repeat(9_000), /^malformed_json: .*more than 32000 parts/],
  };
  for (const [name, [yaml, expected]] of Object.entries(refused)) {
    it(`with ${name} is refused`, async () => {
      assert.match(await refusalOf(yaml), expected);
    });
  }
});
