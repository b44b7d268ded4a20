import { SECOND_MS } from '@granary/contract/time';
import { grantOf } from '@granary/core/keys';
import {
  atMs,
  inviteCode,
  LASTING,
  SESSION_OF_LASTING,
  type WhoMayOf,
  type WritesOf,
} from '../write-round.ts';

export const whoMay: WhoMayOf<'people'> = {
  invite: 'rights',
  change: 'rights',
  renew: 'rights',
  changeSecondFactor: 'rights',
  addPasskey: 'rights',
  removePasskey: 'rights',
  unlink: 'rights',
  unlinkOwn: 'rights',
  disable: 'rights',
};

export const writes: WritesOf<'people'> = {
  invite: (round) => [
    round.app.people.invite(
      {
        keyId: `per_${round.round}_${round.node}`,
        login: `ada-${round.round}`,
        name: 'Ada',
        email: null,
        grants: [grantOf(['read'])],
        createdAtMs: atMs(round),
      },
      inviteCode(`per_${round.round}_${round.node}`, round),
    ),
  ],
  change: (round) => [round.app.people.change('per_shared', { grants: [grantOf(['read'])] })],
  addPasskey: (round) => [
    round.app.people.addPasskey(
      {
        credentialId: `passkey ${round.round} ${round.node}`,
        keyId: 'per_lasting',
        name: 'phone',
        rpId: 'farm.example',
        publicKey: 'key',
        signCount: 0,
        createdAtMs: atMs(round),
        lastUsedAtMs: null,
      },
      {
        challenge: {
          hash: `new ${round.round} ${round.node}`,
          expiresAtMs: atMs(round) + SECOND_MS,
        },
        sessionHash: SESSION_OF_LASTING,
      },
    ),
  ],
  removePasskey: (round) => [
    round.app.people.removePasskey(LASTING, `passkey ${round.round - 1} ${round.node}`),
  ],
  changeSecondFactor: (round) => [
    round.app.people.changeSecondFactor(LASTING, {
      secret: 'A'.repeat(32),
      lastStep: round.round,
      recoveryHashes: [`recovery ${round.round}`],
    }),
  ],
  renew: (round) => [round.app.people.renew('per_shared', inviteCode('per_shared', round))],
  disable: (round) => [round.app.people.disable('per_shared', atMs(round))],
  unlink: (round) => [round.app.people.unlink('per_shared')],
  unlinkOwn: (round) => [round.app.people.unlinkOwn({ personId: 'per_shared', sessionHash: 'none' })],
};
