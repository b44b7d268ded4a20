import type * as english from '../en/alerts.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('pl');

export const alerts: typeof english.alerts = {
  filter: 'Filtruj',
  notLive:
    'Strona nie jest na żywo. Brakuje alarmów od utraty połączenia, a te poniżej mogły się już skończyć.',
  title: 'Alarmy',
  one: 'Alarm',
  lists: 'Listy alarmów',
  listNames: {
    open: 'Otwarte',
    unacknowledged: 'Niepotwierdzone',
    shelved: 'Odłożone',
    history: 'Historia',
    statistics: 'Statystyka',
  },
  countedList: (name, count) => `${name} (${count})`,
  empty: {
    open: 'Brak otwartych alarmów.',
    unacknowledged: 'Wszystkie otwarte alarmy są potwierdzone.',
    shelved: 'Brak odłożonych alarmów.',
    history: 'Takiego alarmu nie było.',
  },
  severity: 'Ważność',
  type: 'Rodzaj',
  anyType: 'Każdy rodzaj',
  anySeverity: 'Każda ważność',
  device: 'Urządzenie',
  message: 'Treść',
  value: 'Wartość / próg',
  age: 'Wiek',
  state: 'Stan',
  actions: 'Czynności',
  select: 'Zaznacz',
  selectOf: (name, message) => `Zaznacz ${name}: ${message}`,
  selectAll: 'Zaznacz wszystkie',
  selectedCount: (count) => `Zaznaczono: ${count}`,
  statuses: {
    active: 'Aktywny',
    acknowledged: 'Potwierdzony',
    cleared: 'Ustał, niepotwierdzony',
    resolved: 'Zakończony',
  },
  steps: { raised: 'Zgłoszony', acknowledged: 'Potwierdzony', cleared: 'Ustał', resolved: 'Zakończony' },
  by: (person) => `przez: ${person}`,
  acknowledgedBy: (person) => `Potwierdzenie: ${person}`,
  about: 'Dotyczy',
  showAbout: { operation: 'Pokaż operację', mission: 'Pokaż misję', command: 'Pokaż polecenie' },
  shelvedUntil: 'Odłożony do',
  acknowledgeTitle: 'Potwierdź alarmy',
  withNote: 'Z notatką',
  acknowledgeWithNote: 'Potwierdź z notatką',
  acknowledgeCount: (count) =>
    plural(count, {
      one: 'Potwierdź # alarm',
      few: 'Potwierdź # alarmy',
      many: 'Potwierdź # alarmów',
      other: 'Potwierdź # alarmu',
    }),
  note: 'Notatka',
  noteHint: 'Co o tym wiesz lub z tym robisz; inni to widzą. Można zostawić puste.',
  shelve: 'Odłóż',
  unshelve: 'Zakończ odłożenie',
  shelveTitle: 'Odłóż alarmy',
  shelveCount: (count) =>
    plural(count, {
      one: 'Odłóż # alarm',
      few: 'Odłóż # alarmy',
      many: 'Odłóż # alarmów',
      other: 'Odłóż # alarmu',
    }),
  shelveMeans: (time) =>
    `Nie będzie go na liście ani na pasku alarmów do ${time}. Alarm trwa dalej: wróci wtedy, jeśli nadal będzie otwarty.`,
  until: 'Na jak długo',
  shelveTimes: {
    '1h': '1 godzina',
    '4h': '4 godziny',
    morning: 'Do 7 rano',
    '1d': '24 godziny',
    '7d': '7 dni',
    other: 'Do innego czasu',
  },
  otherTime: 'Do',
  reason: 'Powód',
  sound: 'Dźwięk przy nowych alarmach krytycznych',
  othersFirst: (name, person, age) =>
    `${name}: ${person} potwierdził(a) to już ${age} temu. Nazwisko i notatka pozostają.`,
  moreOthersFirst: (count) => `i jeszcze ${count}`,
  missing: (count) =>
    plural(count, {
      one: '# alarmu już nie ma.',
      few: '# alarmów już nie ma.',
      many: '# alarmów już nie ma.',
      other: '# alarmu już nie ma.',
    }),
  statistics: {
    time: 'Czas',
    days: (count) => plural(count, { one: '24 godziny', few: '# dni', many: '# dni', other: '# dnia' }),
    perHour: 'alarmów zgłoszonych na godzinę',
    measure: (word) =>
      ({
        acceptable: 'w porządku dla jednej osoby (do 6)',
        manageable: 'najwięcej, ile obsłuży jedna osoba (do 12)',
        tooMany: 'więcej, niż obsłuży jedna osoba (12)',
      })[word],
    reference: 'Miary według ISA-18.2 i EEMUA 191.',
    counts: (raised, floods, shelved) =>
      `Zgłoszono ${raised}, ${plural(floods, { one: '# raz', few: '# razy', many: '# razy', other: '# razu' })} więcej niż 10 w 10 minut, teraz odłożonych ${shelved}.`,
    chart: (most) => `Zgłoszone alarmy w czasie, najwięcej ${most} na godzinę`,
    times: (count) => `${count}×`,
    mostFrequent: 'Najczęstsze',
    chattering: 'Migoczące',
    chatteringHint: 'Zgłoszone co najmniej trzy razy w 10 minut: ustaw strefę nieczułości lub opóźnienie.',
    standing: 'Długotrwałe',
    standingHint: 'Od ponad 24 godzin: usuń przyczynę albo zmień próg.',
  },
};
