import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutAddress, alertsAddress } from '@granary/contract/page-addresses';
import fc from 'fast-check';
import { addressOf, parseRoute } from './routes.ts';

const isView = (name: string): boolean => name === 'devices';

test('an address is read as it was written', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ minLength: 1 }), (id, filter) => {
      const { query, ...rest } = parseRoute(addressOf('devices', id, { q: filter, none: undefined }), isView);
      assert.deepEqual(
        { ...rest, query: Object.fromEntries(query) },
        { view: 'devices', id, query: { q: filter } },
      );
    }),
  );
});

test('an unknown or broken address leads to the overview', () => {
  for (const hash of ['', '#', '#/', '#/nothing', '#nothing/%zz?%']) {
    assert.equal(parseRoute(hash, isView).view, 'overview', hash);
  }
  assert.equal(parseRoute('#/devices/%E0%A4%A', isView).id, '%E0%A4%A');
});

test('the addresses in messages are those of the views', () => {
  const id = 'by hand/1';
  const about = (kind: 'operation' | 'mission' | 'command') => aboutAddress('silo-1', { kind, id });
  assert.equal(about('operation'), addressOf('devices', 'silo-1', { tab: 'operations', operation: id }));
  assert.equal(about('mission'), addressOf('map', null, { device: 'silo-1', mission: id }));
  assert.equal(about('command'), addressOf('operations', 'commands', { device: 'silo-1', command: id }));
  assert.equal(alertsAddress('silo-1', false), addressOf('alerts', null, { device: 'silo-1' }));
  assert.equal(
    alertsAddress('silo-1', true),
    addressOf('alerts', null, { device: 'silo-1', list: 'history' }),
  );
});
