import type { administration as english } from '../en/administration.ts';

export const administration: typeof english = {
  title: 'Verwaltung',
  pages: {
    devices: 'Geräte',
    keys: 'API-Schlüssel',
    webhooks: 'Webhooks',
    notifications: 'Benachrichtigungen',
    audit: 'Änderungsprotokoll',
    health: 'Zustand des Dienstes',
  },
  onlyAdmin: 'Ihr Schlüssel erlaubt das nicht. Er braucht das Recht admin.',
};
