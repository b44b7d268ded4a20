import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { attach, mappingOf, RecordedDriver } from '@granary/testing/bridge/driver-rig';
import { hostileText, hostileValue } from '@granary/testing/hostile-values';
import fc from 'fast-check';
import type { Pointer } from '../mapping/json-pointer.ts';
import type { MessagePlace } from '../mapping/message-place.ts';
import { MessageDevice, parseJson } from './message-device.ts';
import { NETWORK_NAMES } from './message-settings.ts';
import { NmeaReader } from './stream/nmea.ts';

const LIBRARY = new URL('../../library/', import.meta.url);
const library = readdirSync(LIBRARY).map((name) => readFileSync(new URL(name, LIBRARY), 'utf8'));
const MESSAGE_MAPPINGS = library.filter((text) => mappingOf(text).protocol !== 'modbus');

/** A mapping that uses every feature with which a mapping reads messages. */
const SCALE = `
mapping: scale
version: 1
title: A scale
source: this test
evidence: documented
protocol: mqtt
defaults:
  topic: "scales/{address}"
  address: /from
  time: {pointer: /at, as: epoch_ms}
  once: [/number, /session]
  only: {pointer: /kind, is: weight}
  availability: {topic: "scales/{address}/status", pointer: /state}
points:
  weight: {pointer: /kg, unit: kg, sensor: weight}
  rain: {pointer: /rain, unit: mm, difference: true, sensor: rainfall}
  third: {pointer: "/list/[id=3]/value", unit: kg, sensor: third}
`;

/** Returns a message that has the values at every place that the mapping reads. */
function messageWith(device: MessageDevice, values: readonly unknown[]): unknown {
  const { time, once, only, address } = device.settings;
  const points = device.attached.mapping.points.map(({ place }) => (place as MessagePlace).pointer);
  const pointers = [...points, ...once, time?.pointer, only?.pointer, address];
  const root: Record<string, unknown> = {};
  for (const [index, pointer] of pointers.entries())
    if (pointer) put(root, pointer, values[index % values.length]);
  return root;
}

function put(root: Record<string, unknown>, pointer: Pointer, value: unknown): void {
  let at = root;
  for (const [index, step] of pointer.entries()) {
    const key = step.kind === 'key' ? step.key : step.field;
    if (index === pointer.length - 1) at[key] = value;
    else {
      at[key] = Object(at[key]) === at[key] ? at[key] : {};
      at = at[key] as Record<string, unknown>;
    }
  }
}

for (const text of [SCALE, ...MESSAGE_MAPPINGS]) {
  const mapping = mappingOf(text);
  for (const network of mapping.protocol === 'lorawan' ? NETWORK_NAMES : [null]) {
    test(`no message is too much for ${[mapping.name, network ?? []].flat().join(' by ')}`, () => {
      const rig = new RecordedDriver();
      const options = { address: 'one', ...(network === null ? {} : { network }) };
      const device = new MessageDevice(
        attach('d', text, 'mqtt://127.0.0.1:1', options),
        rig.events,
        rig.parts,
      );
      fc.assert(
        fc.property(
          fc.array(hostileValue, { minLength: 1, maxLength: 4 }),
          hostileValue,
          fc.boolean(),
          (values, other, isWhole) => {
            const document = isWhole ? other : messageWith(device, values);
            const message = { text: JSON.stringify(document) ?? '', document, topic: null };
            device.isAddressed(document);
            device.received({ ...message, isRetained: false, roundTripMs: null });
          },
        ),
        { numRuns: text === SCALE ? 300 : 30 },
      );
      for (const { failure } of rig.failures) assert.equal(failure.code, 'malformed');
    });
  }
}

test('no line is too much for the readers of lines', () => {
  fc.assert(
    fc.property(fc.array(hostileText, { maxLength: 8 }), (lines) => {
      const reader = new NmeaReader();
      for (const line of lines) {
        reader.read(line);
        parseJson(line);
      }
    }),
    { numRuns: 200 },
  );
});
