import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { storedPlantJson } from '../plant-json.ts';
import { isPlant, readNewPlant, readPlantId } from './plants.ts';

const faultPaths = (json: string): string[] => {
  const read = readNewPlant(json);
  assert.ok(!isPlant(read), `${json} was accepted`);
  return read.map(({ path }) => path);
};

describe('a new plant', () => {
  it('keeps every digit of its id', () => {
    for (const id of ['9223372036854775807', '-9223372036854775808', '9007199254740993', '0', '-1']) {
      const read = readNewPlant(`{"id": ${id}, "name": "fern", "tag": "shade"}`);
      assert.deepEqual(read, { id: BigInt(id), name: 'fern', tag: 'shade' });
    }
  });

  it('needs no tag', () => {
    assert.deepEqual(readNewPlant('{"id":1,"name":"fern"}'), { id: 1n, name: 'fern' });
  });

  const REFUSED: readonly (readonly [string, string])[] = [
    ['{"id":9223372036854775808,"name":"x"}', '/id'],
    ['{"id":-9223372036854775809,"name":"x"}', '/id'],
    [`{"id":1${'0'.repeat(400)},"name":"x"}`, '/id'],
    ['{"id":1.5,"name":"x"}', '/id'],
    ['{"id":1.0,"name":"x"}', '/id'],
    ['{"id":1e3,"name":"x"}', '/id'],
    ['{"id":"1","name":"x"}', '/id'],
    ['{"id":null,"name":"x"}', '/id'],
    ['{"id":{"id":1},"name":"x"}', '/id'],
    ['{"name":"x"}', '/id'],
    ['{"id":1}', '/name'],
    ['{"id":1,"name":""}', '/name'],
    ['{"id":1,"name":7}', '/name'],
    ['{"id":1,"name":"x","tag":7}', '/tag'],
    [`{"id":1,"name":"x"${' '.repeat(20_000)}}`, ''],
    ['{"id":1,"name":"x","colour":"green"}', '/colour'],
    ['[]', ''],
    ['null', ''],
    ['{"id":1', ''],
    ['', ''],
  ];
  for (const [json, path] of REFUSED) {
    it(`is not ${json.slice(0, 60)}`, () => assert.deepEqual(faultPaths(json), [path]));
  }

  it('is told what an id may be, or that there is none', () => {
    const messageOf = (json: string) => {
      const read = readNewPlant(json);
      return isPlant(read) ? undefined : read[0]?.message;
    };
    assert.match(messageOf('{"id":"1","name":"x"}') ?? '', /whole number .* 9223372036854775807/);
    assert.equal(messageOf('{"name":"x"}'), 'is required');
  });
});

describe('the id of a plant', () => {
  it('is read from its digits', () => {
    assert.equal(readPlantId('9223372036854775807'), 9223372036854775807n);
    for (const text of ['', '-', '1.0', '1e3', '0x1', ' 1', '9223372036854775808', '9'.repeat(500)]) {
      assert.equal(readPlantId(text), null, text);
    }
  });

  it('comes back as it was sent, whatever it is', () => {
    const id = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const name = fc.string({ minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(id, name, (plantId, plantName) => {
        const plant = { id: plantId, name: plantName };
        assert.deepEqual(readNewPlant(storedPlantJson(plant)), plant);
      }),
    );
  });
});
