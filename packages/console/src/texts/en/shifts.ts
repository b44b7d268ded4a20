export const shifts = {
  addNote: 'Add note',
  removeNote: 'Remove note',
  remove: 'Remove',
  note: 'Note',
  at: 'Time',
  atHint: 'Now, if it is left empty.',
};
