export const shifts = {
  addNote: 'Add note',
  removeNote: 'Remove note',
  remove: 'Remove',
  note: 'Note',
  at: 'Time',
  atHint: 'Now, if it is left empty.',
};

export const views = {
  title: 'Views',
  none: 'No view is saved yet.',
  name: 'Name',
  nameHint: 'What is shown now is saved with its filters.',
  replaces: 'Replaces your view of this name.',
  share: 'Share with everybody',
  shared: 'shared',
  sharedBy: (name: string) => `shared by ${name}`,
  save: 'Save view',
  saved: 'Saved view',
  remove: (name: string) => `Remove ${name}`,
  removeMeans: 'The view is removed; nothing else changes.',
  removeMeansAll: 'The view is removed for everybody; nothing else changes.',
};
