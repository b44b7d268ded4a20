import type * as english from '../en/overview.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('de');

export const overview: typeof english.overview = {
  emptyNext:
    'Ein angemeldetes Gerät erscheint hier mit seiner ersten Meldung: sein Füllstand, wann es leer ist und was es braucht.',
  register: 'Gerät anmelden',
  howToConnect: 'Wie Geräte sich verbinden',
  title: 'Übersicht',
  empty: 'Es gibt noch keine Geräte. Legen Sie unter Verwaltung eines an.',
  nothingFound: 'Kein Gerät passt dazu.',
  attention: 'Braucht Aufmerksamkeit',
  nothingNeedsAttention: 'Nichts braucht Aufmerksamkeit.',
  attentionUnknown: 'Nicht bekannt: Diese Seite ist nicht aktuell.',
  attentionLastKnown: 'Diese Seite ist nicht aktuell. Stand beim Verlust der Verbindung:',
  flood: (devices, facilities) =>
    `${plural(devices, { one: '# Gerät', other: '# Geräte' })}${facilities === 1 ? '' : ` in ${facilities} Betrieben`}`,
  shelved: (count) => plural(count, { one: '# zurückgestellter Alarm', other: '# zurückgestellte Alarme' }),
  showAll: (count) => `Alle ${count} anzeigen`,
  devices: (count) => plural(count, { one: '# Gerät', other: '# Geräte' }),
  profile: 'Art des Geräts',
  anyProfile: 'Jede Art',
  grouping: 'Gruppen',
  groupings: { place: 'Nach Ort', none: 'Eine Liste' },
  sort: 'Reihenfolge',
  show: 'Zeigen',
  shows: { all: 'Alle', needs_me: 'Für mich', moving: 'Bewegt', low: 'Niedrig', stale: 'Veraltet' },
  view: 'Form',
  views: { tiles: 'Kacheln', table: 'Tabelle' },
  chooseColumns: 'Spalten',
  columns: {
    zone: 'Bereich',
    stock: 'Bestand',
    empty: 'Leer',
    order: 'Bestellen bis',
    alerts: 'Alarme',
    age: 'Zuletzt gesehen',
  },
  stock: (mass) => `${mass} Bestand`,
  sorts: {
    level: 'Niedrigster Stand zuerst',
    empty: 'Am ehesten leer zuerst',
    attention: 'Wichtiges zuerst',
    name: 'Nach Namen',
  },
  thresholds: {
    low_level: 'Leermeldung',
    high_level: 'Vollmeldung',
    critical_level: 'Kritisch',
  },
  levelOf: (name, level) => `${name}: ${level ?? 'Füllstand nie gemeldet'}`,
  lastDay: 'Füllstand der letzten 24 Stunden',
  room: (mass) => `${mass} Platz`,
  points: (count) => plural(count, { one: '# Punkt', other: '# Punkte' }),
  changeOfDay: (change) => `${change} in 24 h`,
  noReading: 'Noch kein Messwert',
  declaredSensors: (count) => plural(count, { one: '+# Sensor', other: '+# Sensoren' }),
  onMap: 'Karte',
  states: {
    idle: 'Bereit',
    emergencyStop: 'Not-Halt',
    emergencyStopUnconfirmed: 'Not-Halt nicht bestätigt',
    missions: {
      dispatched: 'Auftrag gesendet',
      in_progress: 'Im Auftrag',
      paused: 'Auftrag angehalten',
    },
  },
};
