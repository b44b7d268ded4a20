import type { audit as english } from '../en/audit.ts';

export const audit: typeof english = {
  title: 'Änderungsprotokoll',
  at: 'Zeit',
  who: 'Wer',
  nobody: 'Kein gültiger Schlüssel',
  action: 'Aktion',
  actionFilter: 'Aktion, etwa operations.feed',
  actorFilter: 'Person',
  result: 'Ergebnis',
  anyResult: 'Ausgeführt und abgelehnt',
  results: { done: 'Ausgeführt', refused: 'Abgelehnt' },
  count: (count) => `${count} Mal`,
  resource: 'Eintrag',
  address: 'Adresse',
  input: 'Anfrage',
  day: 'Tag',
  details: 'Einzelheiten',
  detailsOf: (action) => `Einzelheiten zu ${action}`,
  requestId: 'Anfragekennung',
  request: 'Methode und Pfad',
  key: 'Schlüssel',
};
