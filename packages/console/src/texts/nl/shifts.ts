import type * as english from '../en/shifts.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('nl');

export const shifts: typeof english.shifts = {
  title: 'Dienst',
  since: (time) => `Sinds ${time}`,
  asOf: (time, place) => `Stand van ${time} · ${place}`,
  timesOf: (place) => `tijden van ${place}`,
  clocks: 'Volgens welke klokken',
  chooseClocks: 'Klokken kiezen',
  severalClocks: (places) =>
    `De silo’s hier liggen in verschillende tijdzones (${places}). Kies volgens welke klokken dit wordt getoond.`,
  begin: (times) => `Diensten beginnen om ${times}`,
  start: 'Begin van de dienst',
  refresh: 'Vernieuwen',
  print: 'Afdrukken',
  handover: 'Overdracht',
  nothingWaits: 'Er wacht geen overdracht op bevestiging.',
  acknowledge: 'Overdracht bevestigen',
  handOver: 'Overdragen',
  handoverText: 'Wat de volgende dienst moet weten',
  counted: (title, count) => `${title} (${count})`,
  nothing: 'Niets.',
  more: 'Allemaal',
  openAlerts: 'Open alarmen',
  raised: 'Opgetreden alarmen',
  times: (count) => plural(count, { one: '# keer', other: '# keer' }),
  operations: 'Bewerkingen',
  notes: 'Notities',
  orders: 'Silo’s om voor te bestellen',
  missions: 'Missies',
  commands: 'Opdrachten',
  shelved: 'Uitgestelde alarmen',
  changes: 'Wijzigingen',
  addNote: 'Notitie toevoegen',
  removeNote: 'Notitie verwijderen',
  remove: 'Verwijderen',
  note: 'Notitie',
  at: 'Tijd',
  atHint: 'Leeg: nu.',
};

export const views: typeof english.views = {
  title: 'Weergaven',
  none: 'Er is nog geen weergave opgeslagen.',
  name: 'Naam',
  nameHint: 'Wat nu te zien is, wordt met de filters opgeslagen.',
  replaces: 'Vervangt uw weergave met deze naam.',
  share: 'Met iedereen delen',
  shared: 'gedeeld',
  sharedBy: (name) => `gedeeld door ${name}`,
  save: 'Weergave opslaan',
  saved: 'Opgeslagen weergave',
  remove: (name) => `${name} verwijderen`,
  removeMeans: 'De weergave wordt verwijderd; verder verandert er niets.',
  removeMeansAll: 'De weergave wordt voor iedereen verwijderd; verder verandert er niets.',
};
