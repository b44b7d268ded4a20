import { DAY_MS, SECOND_MS } from '@granary/contract/time';
import { grantOf } from '@granary/core/keys';
import { NOW_MS } from '../fixtures.ts';
import { atMs, type WhoMayOf, type WriteRound, type WritesOf } from '../write-round.ts';

const keyId = ({ round }: WriteRound): string => `key_${round}`;
const secret = (id: string, createdAtMs: number) => ({ keyId: id, hash: `hash of ${id}`, createdAtMs });

export const whoMay: WhoMayOf<'keys'> = {
  create: 'rights',
  createPersonal: 'rights',
  assign: 'rights',
  createFirst: 'nobody',
  revoke: 'rights',
  rotate: 'rights',
  preset: 'nobody',
  recordUse: 'nobody',
};

export const writes: WritesOf<'keys'> = {
  create: (round) => [
    round.app.keys.create({
      ...secret(`${keyId(round)}_${round.node}`, atMs(round)),
      name: 'key',
      kind: 'service',
      grants: [grantOf(['read'])],
      expiresAtMs: null,
    }),
  ],
  createFirst: (round) => [
    round.app.keys.createFirst({
      ...secret(`${keyId(round)}_${round.node}_first`, atMs(round)),
      name: 'first',
      kind: 'service',
      grants: [grantOf(['admin'])],
      expiresAtMs: null,
    }),
  ],
  createPersonal: (round) => [
    round.app.keys.createPersonal({
      ...secret(`${keyId(round)}_${round.node}_personal`, atMs(round)),
      ownerId: 'per_lasting',
      name: 'key',
      kind: 'service',
      grants: [grantOf(['read'])],
      // Keys of the previous rounds are still valid, so many that the limit is reached.
      expiresAtMs: atMs(round) + 5 * SECOND_MS,
    }),
  ],
  assign: (round) => [round.app.keys.assign(`key_${round.round - 1}_0`, 'per_lasting', atMs(round))],
  revoke: ({ app, round }) => [app.keys.revoke('key_shared', NOW_MS + round)],
  rotate: (round) => [
    round.app.keys.rotate(
      'key_lasting',
      secret(`${keyId(round)}_${round.node}_rotated`, atMs(round)),
      atMs(round) + DAY_MS,
    ),
  ],
  preset: (round) => [
    round.app.keys.preset({
      ...secret(`${keyId(round)}_${round.node}_preset`, atMs(round)),
      name: 'preset',
      kind: 'service',
      grants: [grantOf(['admin'])],
      expiresAtMs: null,
    }),
  ],
  recordUse: (round) => [round.app.keys.recordUse('key_lasting', atMs(round))],
};
