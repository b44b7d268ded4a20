import type { AlertType } from '@granary/contract/alerts';
import { atMs, type EveryWrite, LIMIT } from './write-round.ts';

export const EVERY_SHIFT_WRITE: EveryWrite['shifts'] = {
  addNote: (round) =>
    round.silos.map((deviceNo) =>
      round.app.shifts.addNote({
        noteId: `nt_${round.node}_${round.round}_${deviceNo}`,
        deviceNo,
        facility: null,
        atMs: atMs(round),
        text: 'noisy',
        createdAtMs: atMs(round),
      }),
    ),
  removeNote: (round) =>
    round.silos.map((deviceNo) =>
      round.app.shifts
        .removeNote({ noteId: `nt_0_${round.round - 1}_${deviceNo}`, nowMs: atMs(round) })
        .catch(() => undefined),
    ),
  handOver: (round) => [
    round.app.shifts.handOver({
      handoverId: `ho_${round.node}_${round.round}`,
      facility: null,
      fromMs: 0,
      toMs: 1,
      text: 'quiet',
      createdAtMs: atMs(round),
    }),
  ],
  acknowledgeHandover: (round) => [
    round.app.shifts.acknowledgeHandover({ handoverId: `ho_0_${round.round - 1}`, nowMs: atMs(round) }),
  ],
  expire: (round) => [round.app.shifts.expire({ beforeMs: 0, rowsMax: LIMIT })],
};

const place = { alertType: 'low_level' as AlertType, facility: 'North', rule: '' };
const HELP = { cause: 'empty', consequence: 'hunger', action: 'fill it' };

export const EVERY_VIEW_WRITE: EveryWrite['views'] = {
  create: (round) => [
    round.app.views.create({
      viewId: `vw_${round.node}_${round.round}`,
      keyId: `key_of_${round.node}_${round.round}`,
      name: 'low',
      address: '#/overview',
      isShared: true,
      updatedAtMs: atMs(round),
    }),
  ],
  change: (round) => [round.app.views.change(`vw_0_${round.round - 1}`, { name: 'lower' }, atMs(round))],
  remove: (round) => [round.app.views.remove(`vw_0_${round.round - 2}`)],
  changePreferences: (round) => [
    round.app.views.changePreferences(
      `key_of_${round.node}_${round.round}`,
      { units: { mass: 'lb', temperature: 'fahrenheit', speed: 'mph' } },
      atMs(round),
    ),
  ],
};

export const EVERY_ALARM_HELP_WRITE: EveryWrite['alarmHelp'] = {
  put: (round) => [round.app.alarmHelp.put(place, HELP, atMs(round))],
  remove: (round) => [round.app.alarmHelp.remove(place)],
};
