import { SECOND_MS } from '@granary/contract/time';
import { atMs, type WhoMayOf, type WritesOf } from '../write-round.ts';

const ISSUER = 'https://id.example';

export const whoMay: WhoMayOf<'signOn'> = {
  putPolicy: 'rights',
  use: 'proof',
  arrive: 'proof',
  noteInvalid: 'proof',
  logout: 'proof',
};

export const writes: WritesOf<'signOn'> = {
  putPolicy: (round) => {
    const groups = [{ group: 'operators', role: 'operator' as const }];
    return [
      round.app.signOn.putPolicy({
        groups,
        session_hours: 1 + (round.round % 9),
        reconfirm: [],
        second_factor_for: 'nobody',
      }),
    ];
  },
  use: (round) => [round.app.signOn.use(`state ${round.round}`, atMs(round) + 3 * SECOND_MS)],
  // The first arrival makes the person; all nodes do this at the same time.
  arrive: (round) =>
    [`subject ${round.round}`, 'subject 0'].map((subject) =>
      round.app.signOn.arrive({
        issuer: ISSUER,
        subject,
        person: { name: 'Grace', email: null, login: 'grace' },
        claimed: { groups: round.round % 3 === 0 ? [] : ['operators'], areLeftOut: false },
        adminGroup: null,
        link: null,
        newKeyId: `per_${subject}_${round.round}_${round.node}`,
        distinction: subject.replace(' ', '-'),
        address: '127.0.0.1',
        nowMs: atMs(round),
      }),
    ),
  noteInvalid: (round) => [
    round.app.signOn.noteInvalid({
      issuer: ISSUER,
      reason: 'expired',
      address: '127.0.0.1',
      nowMs: atMs(round),
    }),
  ],
  logout: (round) => [
    round.app.signOn.logout(
      { issuer: ISSUER, subject: 'subject 0', sid: null },
      { hash: `logout ${round.round}`, expiresAtMs: atMs(round) + 3 * SECOND_MS },
    ),
  ],
};
