import { grantOf } from '@granary/core/keys';
import { NOW_MS } from '../fixtures.ts';
import { atMs, checkedPins, inviteCode, LASTING, type WhoMayOf, type WritesOf } from '../write-round.ts';

const TERMINAL = { kind: 'terminal' as const, name: 'Mill', grants: [grantOf(['read', 'stop'], ['north'])] };
const PERSON_UNTIL = { personId: 'per_lasting', untilMs: NOW_MS };

export const whoMay: WhoMayOf<'terminals'> = {
  enrol: 'rights',
  end: 'rights',
  setPerson: 'proof',
  lock: 'proof',
  stay: 'proof',
  setPin: 'rights',
};

export const writes: WritesOf<'terminals'> = {
  enrol: (round) => [
    round.app.terminals.enrol(
      { ...TERMINAL, keyId: `trm_${round.round}_${round.node}`, createdAtMs: atMs(round) },
      inviteCode(`trm_${round.round}_${round.node}`, round),
    ),
  ],
  end: (round) => [round.app.terminals.end(`trm_${round.round - 1}_0`, atMs(round))],
  setPerson: (round) =>
    checkedPins(round).map((checked) =>
      round.app.terminals.setPerson(`session ${round.round - 1} 0`, PERSON_UNTIL, checked, atMs(round)),
    ),
  lock: (round) => [round.app.terminals.lock(`session ${round.round - 1} 0`)],
  stay: (round) => [round.app.terminals.stay(`session ${round.round - 1} 0`, PERSON_UNTIL)],
  setPin: (round) => [round.app.terminals.setPin(LASTING, `pin ${round.round}`)],
};
