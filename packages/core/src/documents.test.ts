import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { documentKind } from './documents.ts';

interface Silo {
  readonly name: string;
  readonly heightM: number;
  readonly isOpen: boolean;
}

/** Three versions: the height was in centimetres at first, and whether the silo is open was not stored. */
const SILO = documentKind<Silo>([
  ({ height_cm, ...rest }) => ({ ...rest, heightM: Number(height_cm) / 100 }),
  (content) => ({ ...content, isOpen: false }),
]);

const NORTH: Silo = { name: 'North', heightM: 12, isOpen: false };

describe('a stored document', () => {
  for (const [version, stored] of [
    ['1', { v: 1, name: 'North', height_cm: 1_200 }],
    ['2', { v: 2, name: 'North', heightM: 12 }],
    ['3', { v: 3, ...NORTH }],
  ] as const) {
    it(`of version ${version} is read as the newest`, () => {
      assert.deepEqual(SILO.read(JSON.stringify(stored)), NORTH);
    });
  }

  it('names the newest version, which its value does not', () => {
    assert.deepEqual(JSON.parse(SILO.write(NORTH)), { v: 3, ...NORTH });
    assert.deepEqual(Object.keys(SILO.read(SILO.write(NORTH))), Object.keys(NORTH));
  });

  it('of a newer version, or of none that can be, is refused', () => {
    assert.throws(() => SILO.read(JSON.stringify({ v: 4, ...NORTH })), /version 4 is newer than 3/);
    for (const text of [
      '{}',
      '{"v":0}',
      '{"v":-1}',
      '{"v":1.5}',
      '{"v":"1"}',
      '{"v":null}',
      '[]',
      'null',
      '7',
      '{',
      '',
    ]) {
      assert.throws(() => SILO.read(text), text);
    }
  });

  it('is upgraded once: what was read and written again is read the same', () => {
    const content = fc.record({ name: fc.string(), height_cm: fc.integer() });
    fc.assert(
      fc.property(content, (stored) => {
        const read = SILO.read(JSON.stringify({ v: 1, ...stored }));
        assert.deepEqual(SILO.read(SILO.write(read)), read);
      }),
    );
  });
});
