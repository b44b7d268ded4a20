import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { LIBRARY, libraryNames, loadMapping } from './library.ts';
import { readMapping } from './read-mapping.ts';
import { groupMs, planReads, TYPICAL_ROUND_TRIP_MS } from './read-plan.ts';

for (const name of await libraryNames()) {
  test(`the mapping ${name} gives what its examples promise, and says where it was read`, async () => {
    const text = await readFile(join(LIBRARY, `${name}.yaml`), 'utf8');
    const outcome = readMapping(text);
    assert.ok('mapping' in outcome, JSON.stringify(outcome));
    const { mapping } = outcome;
    assert.equal(mapping.name, name);
    assert.ok(mapping.source.length > 10 && mapping.examples.length > 0);
    // Every value that reaches a sensor must be in an example.
    const shown = new Set(mapping.examples.flatMap(({ gives }) => Object.keys(gives)));
    const kinds = new Set(
      mapping.points.filter(({ sensor }) => sensor !== null).map((point) => point.name.replace(/_\d+$/, '')),
    );
    for (const kind of kinds)
      assert.ok(
        [...shown].some((one) => one.replace(/_\d+$/, '') === kind),
        `no example gives ${kind}`,
      );
    if (mapping.protocol !== 'modbus') return;
    for (const group of planReads(mapping))
      assert.ok(groupMs(group, { roundTripMs: TYPICAL_ROUND_TRIP_MS }, mapping.settings) < group.everyMs);
  });
}

test('a mapping that is not there, and one with faults, are errors that say so', async () => {
  await assert.rejects(loadMapping('no-such-mapping'), { code: 'ENOENT' });
  await assert.rejects(loadMapping('./packages/bridge/package.json'), { name: 'MappingError' });
});
