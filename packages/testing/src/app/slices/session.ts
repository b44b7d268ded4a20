import { SECOND_MS } from '@granary/contract/time';
import type { UsedFactor } from '@granary/core/people';
import { newSession } from '@granary/core/session';
import {
  atMs,
  LIMIT,
  SESSION_OF_LASTING,
  type WhoMayOf,
  type WriteRound,
  type WritesOf,
} from '../write-round.ts';

const keyId = 'key_lasting';

const signIn = (round: WriteRound, name: string) => ({
  keyId,
  nowMs: atMs(round),
  hash: `${name} ${round.round} ${round.node}`,
  formerHash: null,
});

/** A session of the first node from the previous round, which all nodes change at the same time. */
const shared = (round: WriteRound) =>
  newSession(`session ${round.round - 1} 0`, { keyId, kind: 'service' }, atMs(round));

const usedFactors = ({ round }: WriteRound): UsedFactor[] => [
  { step: round + 1, countedAt: '' },
  { recoveryHash: `recovery ${round - 1}` },
  { credentialId: `passkey ${round - 1} 0`, signCount: round },
];

export const whoMay: WhoMayOf<'session'> = {
  create: 'proof',
  end: 'rights',
  endOthers: 'rights',
  changePassword: 'rights',
  createCode: 'rights',
  keepChallengeKey: 'proof',
  recordUse: 'nobody',
  expire: 'nobody',
};

export const writes: WritesOf<'session'> = {
  create: (round) => [
    round.app.session.create({ ...signIn(round, 'session'), codeHash: null }),
    round.app.session.create({ ...signIn(round, 'by code'), codeHash: `code ${round.round - 1} 0` }),
    round.app.session.create({
      ...signIn(round, 'again'),
      codeHash: null,
      formerHash: shared(round).hash,
    }),
    round.app.session.create({ ...signIn(round, 'ended'), keyId: 'key_shared', codeHash: null }),
    ...usedFactors(round).map((factor, index) =>
      round.app.session.create({
        ...signIn(round, `factor ${index}`),
        keyId: 'per_lasting',
        codeHash: null,
        factor,
        challenge: { hash: `shared ${round.round} ${index}`, expiresAtMs: atMs(round) + SECOND_MS },
        place: `network ${round.round}`,
      }),
    ),
  ],
  endOthers: (round) => [round.app.session.endOthers(keyId, shared(round).hash)],
  changePassword: (round) => [
    round.app.session.changePassword({
      keyId: 'per_lasting',
      keptHash: SESSION_OF_LASTING,
      password: `password ${round.round}`,
    }),
  ],
  end: (round) => [round.app.session.end(shared(round).hash)],
  createCode: (round) => [
    round.app.session.createCode({
      hash: `code ${round.round} ${round.node}`,
      keyId,
      sessionHash: `session ${round.round} ${round.node}`,
      createdAtMs: atMs(round),
      expiresAtMs: atMs(round) + 3 * SECOND_MS,
    }),
  ],
  keepChallengeKey: (round) => [round.app.session.keepChallengeKey(`secret ${round.node}`)],
  recordUse: (round) => [round.app.session.recordUse(shared(round), 'service', atMs(round) + 1)],
  expire: (round) => [round.app.session.expire({ beforeMs: atMs(round), rowsMax: LIMIT })],
};
