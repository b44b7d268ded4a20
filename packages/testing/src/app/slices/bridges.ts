import { UNLIMITED } from '@granary/core/keys';
import { bridgedDevice } from '../../server/scripted-bridge.ts';
import { atMs, type WhoMayOf, type WriteRound, type WritesOf } from '../write-round.ts';

/** The bridge and the key that `prepareRounds` has stored. */
const REPORTING = { bridgeId: 'north', keyId: 'key_bridge' };

const sessionOf = ({ round }: WriteRound): string => `s${round % 3}`;

// Reports of a bridge are not an audited change, so the write itself contains the key of the bridge and checks it.
export const whoMay: WhoMayOf<'bridges'> = {
  report: 'proof',
  ask: 'rights',
  take: 'proof',
  give: 'rights',
  remove: 'rights',
};

export const writes: WritesOf<'bridges'> = {
  report: (round) => [
    round.app.bridges.report(
      { ...REPORTING, session: sessionOf(round) },
      UNLIMITED,
      {
        session: sessionOf(round),
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
      bridgeId: REPORTING.bridgeId,
      kind: round.round % 2 === 0 ? 'test' : 'add',
      device_id: 'a',
      mapping: null,
      endpoint: null,
      unit: null,
      options: {},
      createdAtMs: atMs(round),
      expiresAtMs: atMs(round) + 2_000,
    }),
  ],
  take: (round) => [
    round.app.bridges.take(
      {
        ...REPORTING,
        session: sessionOf(round),
        requestId: `br_${round.node}_${round.round}`,
        secretHash: 'hash',
        isRepeated: false,
      },
      atMs(round),
    ),
  ],
  give: (round) => [round.app.bridges.give(REPORTING.bridgeId, REPORTING.keyId, atMs(round))],
  remove: (round) => [round.app.bridges.remove(round.round % 5 === 0 ? REPORTING.bridgeId : 'none')],
};
