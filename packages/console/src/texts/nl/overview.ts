import type * as english from '../en/overview.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('nl');

export const overview: typeof english.overview = {
  emptyNext:
    'Een geregistreerd apparaat verschijnt hier met zijn eerste bericht: het niveau, wanneer het leeg is en wat het nodig heeft.',
  register: 'Apparaat registreren',
  howToConnect: 'Hoe apparaten verbinden',
  title: 'Overzicht',
  empty: 'Er zijn nog geen apparaten. Registreer er een onder Beheer.',
  nothingFound: 'Geen apparaat komt overeen.',
  attention: 'Vraagt aandacht',
  nothingNeedsAttention: 'Niets vraagt aandacht.',
  attentionUnknown: 'Niet bekend: deze pagina is niet actueel.',
  attentionLastKnown: 'Deze pagina is niet actueel. Wat aandacht vroeg toen de verbinding wegviel:',
  flood: (devices, facilities) =>
    `${plural(devices, { one: '# apparaat', other: '# apparaten' })}${facilities === 1 ? '' : ` op ${facilities} bedrijven`}`,
  shelved: (count) => plural(count, { one: '# uitgesteld alarm', other: '# uitgestelde alarmen' }),
  showAll: (count) => `Alle ${count} tonen`,
  devices: (count) => plural(count, { one: '# apparaat', other: '# apparaten' }),
  profile: 'Soort apparaat',
  anyProfile: 'Elke soort',
  grouping: 'Groepering',
  groupings: { place: 'Per plaats', none: 'Eén lijst' },
  sort: 'Volgorde',
  sorts: {
    attention: 'Aandacht eerst',
    name: 'Op naam',
    level: 'Laagste niveau eerst',
    empty: 'Eerst leeg',
  },
  show: 'Tonen',
  shows: { all: 'Alle', needs_me: 'Wacht op mij', moving: 'Beweegt', low: 'Laag', stale: 'Verouderd' },
  view: 'Vorm',
  views: { tiles: 'Tegels', table: 'Tabel' },
  chooseColumns: 'Kolommen',
  columns: {
    zone: 'Zone',
    stock: 'Voorraad',
    empty: 'Leeg',
    order: 'Bestellen voor',
    alerts: 'Alarmen',
    age: 'Laatst gezien',
  },
  stock: (mass) => `${mass} in voorraad`,
  thresholds: { low_level: 'Laag niveau', high_level: 'Hoog niveau', critical_level: 'Kritiek niveau' },
  levelOf: (name, level) => `${name}: ${level ?? 'niveau nooit gemeld'}`,
  lastDay: 'Niveau van de laatste 24 uur',
  room: (mass) => `ruimte voor ${mass}`,
  points: (count) => plural(count, { one: '# punt', other: '# punten' }),
  changeOfDay: (change) => `${change} in 24 u`,
  noReading: 'Nog geen meting',
  declaredSensors: (count) => plural(count, { one: '+# sensor', other: '+# sensoren' }),
  onMap: 'Kaart',
  states: {
    idle: 'In rust',
    emergencyStop: 'Noodstop',
    emergencyStopUnconfirmed: 'Noodstop niet bevestigd',
    missions: {
      dispatched: 'Missie verzonden',
      in_progress: 'Op missie',
      paused: 'Missie gepauzeerd',
    },
  },
};
