import { Type } from 'typebox';
import {
  Bridge,
  BridgeDetail,
  BridgedDevice,
  BridgeInstructions,
  BridgeJournal,
  BridgeKey,
  BridgeKeyChoice,
  BridgeMapping,
  BridgeReport,
  BridgeSite,
  BridgeTest,
  checkBridgeKeyChoice,
  checkBridgeReport,
  checkNewBridgedDevice,
  checkNewBridgeTest,
  NewBridgedDevice,
  NewBridgeTest,
  ShownBridgedDevice,
  TestedPoint,
} from '../bridges.ts';
import { id } from '../input/text-schemas.ts';
import { one } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  bridge_id: {
    schema: id(),
    description: 'the id of a bridge, from its site file',
    notFound: 'bridge_not_found',
    example: 'farm-north',
  },
});

const SCALE = { mapping: 'modbus-example', endpoint: 'tcp://10.0.4.20:502', unit: 3 };

/** Processes that attach devices which were not made for this service. */
const endpoints = {
  report: endpoint('api', 'POST', '/bridges/{bridge_id}/report', {
    scope: 'ingest',
    summary:
      'For the bridge itself: tells how it and its devices are, brings results, and waits for something to do. The first report makes the bridge known and its key the only one that may report for it.',
    isAudited: false,
    body: body(checkBridgeReport, 'report'),
    answers: { 200: one(BridgeInstructions) },
    errors: ['bridge_of_another_key', 'bridge_limit_reached'],
    examples: [
      {
        summary: 'a bridge that has just started',
        body: {
          session: 'b7c1f0',
          version: '0.1.0',
          started_at: '2026-11-18T04:00:00Z',
          site: { file: '/etc/granary/site.yaml', loaded_at: '2026-11-18T04:00:00Z', faults: [] },
          journal: { readings: 0, bytes: 0, oldest_at: null, dropped: 0, fault: null, gaps: [] },
          wait_s: 0,
        },
      },
    ],
  }),
  list: endpoint('api', 'GET', '/bridges', {
    scope: 'read',
    summary:
      'Lists the bridges, with how many of their devices answer; for a caller with limits those that have devices within them.',
    answers: { 200: one(Type.Array(Bridge)) },
    examples: [{ summary: 'all bridges' }],
  }),
  get: endpoint('api', 'GET', '/bridges/{bridge_id}', {
    scope: 'read',
    summary: 'Shows a bridge with the devices that the caller may access.',
    answers: { 200: one(BridgeDetail) },
    examples: [
      { summary: 'a bridge' },
      { summary: 'an unknown bridge', parameters: { bridge_id: 'none' }, refusal: 'bridge_not_found' },
    ],
  }),
  mappings: endpoint('api', 'GET', '/bridges/{bridge_id}/mappings', {
    scope: 'configure',
    summary: 'Lists the models of devices that the bridge can attach.',
    answers: { 200: one(Type.Array(BridgeMapping)) },
    examples: [{ summary: 'its mappings' }],
  }),
  test: endpoint('api', 'POST', '/bridges/{bridge_id}/tests', {
    scope: 'configure',
    summary: 'Has the bridge read a device once, and answers what each point said. Nothing is stored.',
    body: body(checkNewBridgeTest, 'test'),
    answers: { 200: one(BridgeTest) },
    errors: ['device_not_found', 'bridge_limit_reached', 'bridge_not_answering'],
    examples: [{ summary: 'a scale that may be added', body: SCALE }],
  }),
  addDevice: endpoint('api', 'POST', '/bridges/{bridge_id}/devices', {
    scope: 'configure',
    summary:
      'Has the bridge attach a registered device: it writes it to its site file and gets a new secret of the device.',
    body: body(checkNewBridgedDevice, 'device'),
    answers: { 200: one(BridgeDetail) },
    errors: [
      'device_not_found',
      'device_removed',
      'bridge_limit_reached',
      'bridge_not_answering',
      'bridge_refused',
    ],
    examples: [
      { summary: 'a silo that was registered before', body: { device_id: 'bridged-silo', ...SCALE } },
      {
        summary: 'a device that is not registered',
        body: { device_id: 'silo-none', ...SCALE },
        refusal: 'device_not_found',
      },
    ],
  }),
  removeDevice: endpoint('api', 'DELETE', '/bridges/{bridge_id}/devices/{device_id}', {
    scope: 'configure',
    summary: 'Has the bridge take the device out of its site file; the device stays registered.',
    answers: { 200: one(BridgeDetail) },
    errors: ['bridge_limit_reached', 'bridge_not_answering', 'bridge_refused'],
    examples: [{ summary: 'a device' }],
  }),
  give: endpoint('api', 'PUT', '/bridges/{bridge_id}/key', {
    scope: 'configure',
    summary:
      'Gives a bridge to a key with the scope `ingest`, also one that has not reported yet: from then on no other key may report for it.',
    body: body(checkBridgeKeyChoice, 'choice'),
    answers: { 200: one(BridgeKey) },
    errors: ['key_not_found', 'bridge_limit_reached'],
    examples: [
      { summary: 'another key', body: { key_id: 'key_019a86c5f3c07b2a' } },
      { summary: 'an unknown key', body: { key_id: 'key_unknown' }, refusal: 'key_not_found' },
    ],
  }),
  remove: endpoint('api', 'DELETE', '/bridges/{bridge_id}', {
    scope: 'configure',
    summary: 'Forgets a bridge that is not used any more; one that reports again is known again.',
    answers: { 200: one(Bridge) },
    examples: [{ summary: 'a bridge' }],
  }),
};

export const bridges = {
  description: 'Devices of other makers, and the programs that attach them.',
  endpoints,
  schemas: {
    Bridge,
    BridgeDetail,
    BridgedDevice,
    ShownBridgedDevice,
    BridgeInstructions,
    BridgeKey,
    BridgeKeyChoice,
    BridgeJournal,
    BridgeMapping,
    BridgeReport,
    BridgeSite,
    BridgeTest,
    NewBridgedDevice,
    NewBridgeTest,
    TestedPoint,
  },
} satisfies Slice;
