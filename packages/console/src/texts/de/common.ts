import type * as english from '../en/common.ts';

export const common: typeof english.common = {
  severities: { critical: 'Kritisch', warning: 'Warnung', info: 'Hinweis' },
  deviceStatuses: { online: 'Verbunden', offline: 'Nicht verbunden', maintenance: 'Wartung' },
  qualities: { good: 'Gut', stale: 'Veraltet', bad: 'Ungültig' },
  neverReported: 'Nie gemeldet',
  inZone: (text, place) => `${text}, Ortszeit ${place}`,
  lastKnown: 'Nicht aktuell: Stand beim Verlust der Verbindung',
  badValue: 'nicht plausibel',
  acknowledge: 'Bestätigen',
  cancel: 'Abbrechen',
  close: 'Schließen',
  keepOpen: 'Offen lassen',
  save: 'Speichern',
  retry: 'Noch einmal',
  stop: 'Stopp',
  emergencyStop: 'Not-Halt',
  stopRequested: 'Stopp verlangt, warte auf das Gerät',
  stopUnsent:
    'Der Stopp hat den Dienst noch nicht erreicht; er wird wiederholt. Benutzen Sie den Stopp am Gerät.',
  notWhileOffline: 'Nicht möglich, solange die Verbindung fehlt.',
  ago: (age) => `vor ${age}`,
  sensors: {
    level: 'Füllstand',
    weight: 'Gewicht',
    temperature: 'Temperatur',
    humidity: 'Feuchte',
    latitude: 'Breite',
    longitude: 'Länge',
    altitude: 'Höhe',
    battery_level: 'Akku',
    signal_strength: 'Signal',
    soil_moisture: 'Bodenfeuchte',
    light_intensity: 'Licht',
    wind_speed: 'Wind',
    atmospheric_pressure: 'Luftdruck',
    rainfall: 'Regen',
  },
  failures: {
    unreachable: 'Der Dienst hat nicht geantwortet.',
    mayBeDone:
      'Es wurde vielleicht ausgeführt: Sehen Sie nach dem Gerät, bevor Sie es noch einmal versuchen.',
    notDone: 'Nichts wurde geändert.',
    unexpected: 'In dieser Seite ist etwas Unerwartetes geschehen.',
    request: (id) => `Anfrage ${id}`,
  },
};

export const forms: typeof english.forms = {
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

export const table: typeof english.table = {
  orderBy: 'Ordnen nach',
  usualOrder: 'Wie aufgelistet',
  showMore: (shown, all) => `Mehr zeigen (${shown} von ${all})`,
  loadMore: 'Mehr laden',
  nothing: 'Nichts passt dazu.',
  filters: 'Filter',
  clearFilters: 'Filter aufheben',
  facility: 'Betrieb',
  anyFacility: 'Alle Betriebe',
  device: 'Gerät',
  anyDevice: 'Alle Geräte',
};
