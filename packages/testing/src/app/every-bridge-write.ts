import { bridgedDevice } from '../server/scripted-bridge.ts';
import { atMs, type EveryWrite } from './write-round.ts';

export const EVERY_BRIDGE_WRITE: EveryWrite['bridges'] = {
  report: (round) => [
    round.app.bridges.report(
      'north',
      {
        session: `s${round.round % 3}`,
        version: '1',
        started_at: '2026-11-18T04:00:00Z',
        site: { file: 'site.yaml', loaded_at: null, faults: [] },
        journal: { readings: 0, bytes: 0, oldest_at: null, dropped: 0, fault: null, gaps: [] },
        devices: [bridgedDevice('a'), bridgedDevice('b')],
        gone: ['c'],
        results: [{ request_id: `br_0_${round.round - 1}`, failure: null }],
      },
      atMs(round),
    ),
  ],
  ask: (round) => [
    round.app.bridges.ask({
      requestId: `br_${round.node}_${round.round}`,
      bridgeId: 'north',
      kind: 'test',
      device_id: 'a',
      mapping: null,
      endpoint: null,
      unit: null,
      options: {},
      createdAtMs: atMs(round),
      expiresAtMs: atMs(round) + 2_000,
    }),
  ],
  remove: (round) => [round.app.bridges.remove(round.round % 5 === 0 ? 'north' : 'none')],
};
