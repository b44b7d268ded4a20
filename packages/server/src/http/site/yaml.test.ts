import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { Refusal } from '@granary/contract/errors';
import { readYaml, writeYaml } from './yaml.ts';

const refusalOf = async (yaml: string): Promise<string> => {
  const error = await readYaml(yaml).then(
    () => undefined,
    (refusal: unknown) => refusal,
  );
  assert(error instanceof Refusal, `${yaml.slice(0, 40)} was accepted`);
  return `${error.code}: ${error.message}`;
};

describe('YAML', () => {
  it('is read like JSON', async () => {
    const value = { version: 1, devices: [{ name: 'Silo: 1', on: 'yes', share: 0.5, none: null, list: [] }] };
    assert.deepEqual(await readYaml(await writeYaml(value)), value);
    assert.deepEqual(await readYaml(JSON.stringify(value)), value);
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
      const documents = ['[1]', '[', '[2]'].map((yaml) => readYaml(yaml));
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
