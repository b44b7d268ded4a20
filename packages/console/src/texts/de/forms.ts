import type { forms as english } from '../en/forms.ts';

export const forms: typeof english = {
  copy: 'Kopieren',
  copied: 'Kopiert.',
  selected: 'Markiert: Kopieren Sie es mit der Tastatur oder dem Menü.',
  isKept: 'Haben Sie es aufbewahrt? Es kann nicht noch einmal gezeigt werden.',
  shownOnce: 'Das wird nur jetzt gezeigt. Der Dienst behält keine lesbare Kopie.',
  done: 'Fertig',
  add: 'Hinzufügen',
  remove: 'Entfernen',
  all: 'Alle',
  none: 'Keine',
  conflict: (changes) =>
    `Jemand anderes hat das inzwischen geändert: ${changes}. Ihre eigenen Eingaben sind noch da. Sehen Sie sie durch und speichern Sie noch einmal.`,
  changedTo: (label, value) => `${label} ist jetzt „${value}“`,
};
