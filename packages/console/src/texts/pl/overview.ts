import type * as english from '../en/overview.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('pl');

export const overview: typeof english.overview = {
  emptyNext:
    'Zarejestrowane urządzenie pojawia się tu wraz z pierwszą wiadomością: poziom, kiedy będzie pusto i czego potrzebuje.',
  register: 'Zarejestruj urządzenie',
  howToConnect: 'Jak łączą się urządzenia',
  title: 'Przegląd',
  empty: 'Nie ma jeszcze urządzeń. Zarejestruj pierwsze w Administracji.',
  nothingFound: 'Żadne urządzenie nie pasuje.',
  attention: 'Wymaga uwagi',
  nothingNeedsAttention: 'Nic nie wymaga uwagi.',
  attentionUnknown: 'Nie wiadomo: strona nie jest na żywo.',
  attentionLastKnown: 'Strona nie jest na żywo. Co wymagało uwagi w chwili utraty połączenia:',
  flood: (devices, facilities) =>
    `${plural(devices, { one: '# urządzenie', few: '# urządzenia', many: '# urządzeń', other: '# urządzenia' })}${facilities === 1 ? '' : ` w ${facilities} zakładach`}`,
  shelved: (count) =>
    plural(count, {
      one: '# odłożony alarm',
      few: '# odłożone alarmy',
      many: '# odłożonych alarmów',
      other: '# odłożonego alarmu',
    }),
  showAll: (count) => `Pokaż wszystkie (${count})`,
  devices: (count) =>
    plural(count, {
      one: '# urządzenie',
      few: '# urządzenia',
      many: '# urządzeń',
      other: '# urządzenia',
    }),
  profile: 'Rodzaj urządzenia',
  anyProfile: 'Każdy rodzaj',
  grouping: 'Grupowanie',
  groupings: { place: 'Według miejsca', none: 'Jedna lista' },
  sort: 'Kolejność',
  sorts: {
    attention: 'Najpierw ważne',
    name: 'Według nazwy',
    level: 'Najniższy poziom',
    empty: 'Najwcześniej puste',
  },
  show: 'Pokaż',
  shows: { all: 'Wszystkie', needs_me: 'Czeka na mnie', moving: 'W ruchu', low: 'Niskie', stale: 'Stare' },
  view: 'Postać',
  views: { tiles: 'Kafelki', table: 'Tabela' },
  chooseColumns: 'Kolumny',
  columns: {
    zone: 'Strefa',
    stock: 'Zapas',
    empty: 'Pusty',
    order: 'Zamówić do',
    alerts: 'Alarmy',
    age: 'Ostatnio',
  },
  stock: (mass) => `zapas ${mass}`,
  thresholds: { low_level: 'Niski poziom', high_level: 'Wysoki poziom', critical_level: 'Poziom krytyczny' },
  levelOf: (name, level) => `${name}: ${level ?? 'poziomu nigdy nie zgłoszono'}`,
  lastDay: 'Poziom z ostatnich 24 godzin',
  room: (mass) => `miejsca ${mass}`,
  points: (count) => plural(count, { one: '# pkt', few: '# pkt', many: '# pkt', other: '# pkt' }),
  changeOfDay: (change) => `${change} w 24 h`,
  noReading: 'Brak odczytu',
  declaredSensors: (count) =>
    plural(count, { one: '+# czujnik', few: '+# czujniki', many: '+# czujników', other: '+# czujnika' }),
  onMap: 'Mapa',
  states: {
    idle: 'Bezczynny',
    emergencyStop: 'Stop awaryjny',
    emergencyStopUnconfirmed: 'Stop awaryjny niepotwierdzony',
    missions: {
      dispatched: 'Misja wysłana',
      in_progress: 'Na misji',
      paused: 'Misja wstrzymana',
    },
  },
};
