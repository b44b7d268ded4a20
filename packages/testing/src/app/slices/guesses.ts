import { atMs, type WhoMayOf, type WritesOf } from '../write-round.ts';

const AT_TERMINAL = { place: 'trm_shared', personId: 'per_shared' };

export const whoMay: WhoMayOf<'guesses'> = {
  takeCode: 'proof',
  takePin: 'proof',
  wrong: 'proof',
  mistyped: 'proof',
  recognised: 'proof',
};

export const writes: WritesOf<'guesses'> = {
  takePin: (round) => [round.app.guesses.takePin(AT_TERMINAL, atMs(round))],
  takeCode: (round) => [round.app.guesses.takeCode(AT_TERMINAL, atMs(round))],
  wrong: (round) => [
    round.app.guesses.wrong(
      { ...AT_TERMINAL, kind: 'pin' },
      { nowMs: atMs(round), canSendMail: round.node === 0 },
    ),
  ],
  mistyped: (round) => [round.app.guesses.mistyped(AT_TERMINAL)],
  recognised: (round) => [
    round.app.guesses.recognised(AT_TERMINAL, { isWhole: round.node === 0, nowMs: atMs(round) }),
  ],
};
