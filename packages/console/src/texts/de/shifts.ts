import type * as english from '../en/shifts.ts';

export const shifts: typeof english.shifts = {
  addNote: 'Notiz schreiben',
  removeNote: 'Notiz entfernen',
  remove: 'Entfernen',
  note: 'Notiz',
  at: 'Zeit',
  atHint: 'Jetzt, wenn nichts eingetragen ist.',
};

export const views: typeof english.views = {
  title: 'Ansichten',
  none: 'Noch ist keine Ansicht gespeichert.',
  name: 'Name',
  nameHint: 'Gespeichert wird, was gerade gezeigt wird, mit seinen Filtern.',
  replaces: 'Ersetzt Ihre Ansicht mit diesem Namen.',
  share: 'Für alle freigeben',
  shared: 'freigegeben',
  sharedBy: (name) => `freigegeben von ${name}`,
  save: 'Ansicht speichern',
  saved: 'Gespeicherte Ansicht',
  remove: (name) => `${name} entfernen`,
  removeMeans: 'Die Ansicht wird entfernt; sonst ändert sich nichts.',
  removeMeansAll: 'Die Ansicht wird für alle entfernt; sonst ändert sich nichts.',
};
