import type { webhooks as english } from '../en/webhooks.ts';

export const webhooks: typeof english = {
  title: 'Webhooks',
  meaning: 'Empfänger, denen der Dienst Ereignisse mit HTTP und einer Signatur mitteilt.',
  none: 'Es gibt noch keine Webhooks.',
  create: 'Webhook anlegen',
  created: 'Der Webhook ist angelegt',
  edit: 'Bearbeiten',
  url: 'Adresse',
  urlHint:
    'Beginnt mit https:// oder http://. Private Adressen werden abgelehnt, wenn die Einstellungen des Dienstes sie nicht erlauben.',
  description: 'Beschreibung',
  events: 'Nur diese Ereignisse',
  everyEvent: 'Alle',
  eventCount: (count) => (count === 1 ? '1 Art' : `${count} Arten`),
  severities: 'Nur Alarme dieser Stufen',
  state: 'Zustand',
  enabled: 'Eingeschaltet',
  disabled: 'Ausgeschaltet',
  byPerson: 'von einer Person',
  disabledBecause: (reason) => `Der Dienst hat diesen Webhook ausgeschaltet: ${reason}`,
  failing: 'Scheitert seit',
  secret: 'Geheimnis der Signaturen',
  test: 'Test senden',
  tested: (status, error) =>
    error === null ? `Der Empfänger hat ${status ?? ''} geantwortet.` : `Der Test ist gescheitert: ${error}`,
  enable: 'Einschalten',
  disable: 'Ausschalten',
  replay: 'Tote Nachrichten noch einmal senden',
  replayMeans:
    'Jede aufgegebene Nachricht wird noch einmal gesendet. Ein Empfänger bekommt sie mit derselben webhook-id.',
  rotate: 'Geheimnis erneuern',
  rotateMeans:
    'Gibt ein neues Geheimnis aus. Bis die Übergangszeit vorbei ist, werden Nachrichten mit dem alten und dem neuen signiert.',
  overlap: 'Das alte Geheimnis gilt noch (Stunden)',
  removeMeans:
    'Was nicht zugestellt ist, wird nicht mehr gesendet. Benachrichtigungsregeln können ihn nicht mehr benutzen.',
  deliveries: 'Zustellungen',
  noDeliveries: 'Noch wurde nichts gesendet.',
  deliveryStatuses: { pending: 'wartet', delivered: 'zugestellt', dead: 'tot' },
  attempts: (count) => `${count} Versuche`,
};
