import type * as english from '../en/shifts.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('pl');

export const shifts: typeof english.shifts = {
  title: 'Zmiana',
  since: (time) => `Od ${time}`,
  asOf: (time, place) => `Stan z ${time} · ${place}`,
  timesOf: (place) => `czas: ${place}`,
  clocks: 'Według czyich zegarów',
  chooseClocks: 'Wybierz zegary',
  severalClocks: (places) =>
    `Silosy są tu w kilku strefach czasowych (${places}). Wybierz, według czyich zegarów to pokazać.`,
  begin: (times) => `Zmiany zaczynają się o ${times}`,
  start: 'Początek zmiany',
  refresh: 'Odśwież',
  print: 'Drukuj',
  handover: 'Przekazanie zmiany',
  nothingWaits: 'Żadne przekazanie nie czeka na potwierdzenie.',
  acknowledge: 'Potwierdź przekazanie',
  handOver: 'Przekaż zmianę',
  handoverText: 'Co musi wiedzieć następna zmiana',
  counted: (title, count) => `${title} (${count})`,
  nothing: 'Nic.',
  more: 'Wszystkie',
  openAlerts: 'Otwarte alarmy',
  raised: 'Zgłoszone alarmy',
  times: (count) => plural(count, { one: '# raz', few: '# razy', many: '# razy', other: '# razu' }),
  operations: 'Operacje',
  notes: 'Notatki',
  orders: 'Silosy do zamówienia',
  missions: 'Misje',
  commands: 'Polecenia',
  shelved: 'Odłożone alarmy',
  changes: 'Zmiany ustawień',
  addNote: 'Dodaj notatkę',
  removeNote: 'Usuń notatkę',
  remove: 'Usuń',
  note: 'Notatka',
  at: 'Czas',
  atHint: 'Puste: teraz.',
};

export const views: typeof english.views = {
  title: 'Widoki',
  none: 'Nie zapisano jeszcze widoku.',
  name: 'Nazwa',
  nameHint: 'To, co widać teraz, zostanie zapisane z filtrami.',
  replaces: 'Zastępuje Twój widok o tej nazwie.',
  share: 'Udostępnij wszystkim',
  shared: 'udostępniony',
  sharedBy: (name) => `udostępnia: ${name}`,
  save: 'Zapisz widok',
  saved: 'Zapisany widok',
  remove: (name) => `Usuń: ${name}`,
  removeMeans: 'Widok zostanie usunięty; nic innego się nie zmieni.',
  removeMeansAll: 'Widok zostanie usunięty dla wszystkich; nic innego się nie zmieni.',
};
