import type * as english from '../en/shifts.ts';

export const shifts: typeof english.shifts = {
  addNote: 'Notiz schreiben',
  removeNote: 'Notiz entfernen',
  remove: 'Entfernen',
  note: 'Notiz',
  at: 'Zeit',
  atHint: 'Jetzt, wenn nichts eingetragen ist.',
};
