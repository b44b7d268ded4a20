import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostileText, hostileValue } from '@granary/testing/hostile-values';
import fc from 'fast-check';
import { Announcements } from './home-assistant.ts';
import { understandTemplate } from './template.ts';

const FIELDS = [
  '~',
  'avty',
  'cmps',
  'components',
  'dev',
  'ids',
  'name',
  'p',
  'stat_t',
  'uniq_id',
  'val_tpl',
  't',
];
const RIGHT = JSON.stringify({ stat_t: 'scale/kg', uniq_id: 'scale', dev: { ids: ['scale'] } });

const announcement = fc.oneof(
  hostileText,
  fc.dictionary(fc.constantFrom(...FIELDS), hostileValue).map((fields) => JSON.stringify(fields)),
  fc
    .dictionary(fc.constantFrom(...FIELDS), hostileValue)
    .map((entry) => JSON.stringify({ '~': 'a', cmps: { a: entry }, dev: entry, avty: [entry] })),
  // The nesting is deeper than the stack allows functions to follow.
  fc
    .constantFrom('avty', 'availability')
    .map((name) => `{"~":"a","${name}":${`[{"${name}":`.repeat(12_000)}1${'}]'.repeat(12_000)}}`),
);

test('no announcement ends the search, or hides the device of another one', () => {
  fc.assert(
    fc.property(fc.array(announcement, { minLength: 1, maxLength: 5 }), (payloads) => {
      const announcements = new Announcements('homeassistant');
      for (const [index, payload] of payloads.entries())
        announcements.add(
          `homeassistant/${index % 2 ? 'device' : 'sensor'}/hostile-${index}/config`,
          payload,
        );
      announcements.add('homeassistant/sensor/right/config', RIGHT);
      assert.ok(
        announcements.devices().some(({ sensors }) => sensors.some(({ topic }) => topic === 'scale/kg')),
      );
    }),
    { numRuns: 60 },
  );
});

test('no template is too much', () => {
  fc.assert(fc.property(hostileText, (text) => void understandTemplate(`{{ value_json${text} }}`)));
});
