import type { AlertType } from '@granary/contract/alerts';
import { atMs, type WhoMayOf, type WritesOf } from '../write-round.ts';

const place = { alertType: 'low_level' as AlertType, facility: 'North', rule: '' };
const HELP = { cause: 'empty', consequence: 'hunger', action: 'fill it' };

export const whoMay: WhoMayOf<'alarmHelp'> = { put: 'rights', remove: 'rights' };

export const writes: WritesOf<'alarmHelp'> = {
  put: (round) => [round.app.alarmHelp.put(place, HELP, atMs(round))],
  remove: (round) => [round.app.alarmHelp.remove(place)],
};
