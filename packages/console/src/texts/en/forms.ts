export const forms = {
  copy: 'Copy',
  copied: 'Copied.',
  selected: 'Selected: copy it with your keyboard or the menu.',
  isKept: 'Have you kept it? It cannot be shown again.',
  shownOnce: 'This is shown only now. The service keeps no readable copy of it.',
  done: 'Done',
  add: 'Add',
  remove: 'Remove',
  all: 'All',
  none: 'None',
  conflict: (changes: string) =>
    `Somebody else has changed this meanwhile: ${changes}. Your own entries are kept. Look at them and save again.`,
  changedTo: (label: string, value: string) => `${label} is now “${value}”`,
};
