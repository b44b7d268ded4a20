import type { operations as english } from '../en/operations.ts';

export const operations: typeof english = {
  types: { feed: 'Befüllung', discharge: 'Entnahme' },
  unknownType: 'Am Gerät begonnene Bewegung',
  into: (target) => `→ ${target}`,
  progress: 'Fortschritt',
  left: (duration) => `noch etwa ${duration}`,
  underWay: 'Laufender Vorgang',
  ofTarget: (done, target) => `${done} von ${target}`,
  measured: (amount) => `${amount} von der Waage gemessen`,
  startedAt: 'Begonnen',
  stopOf: (name) => `${name} stoppen`,
  statuses: {
    started: 'Begonnen',
    in_progress: 'Läuft',
    stopping: 'Wird gestoppt',
    unconfirmed: 'Unbestätigt',
    completed: 'Fertig',
    stopped: 'Gestoppt',
    failed: 'Gescheitert',
  },
};
