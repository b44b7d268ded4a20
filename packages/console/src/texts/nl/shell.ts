import type * as english from '../en/shell.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('nl');

export const shell: typeof english.shell = {
  viewFailed: (name) => `„${name}” kan door een fout op deze pagina niet worden getoond.`,
  restGoesOn:
    'Alarmen, stops en de andere weergaven werken door. Probeer het opnieuw; blijft het zo, meld het dan aan de beheerder.',
  thisView: 'Deze weergave',
  sections: {
    overview: 'Overzicht',
    alerts: 'Alarmen',
    map: 'Veldkaart',
    operations: 'Bewerkingen',
    orders: 'Bestellen',
    administration: 'Beheer',
  },
  navigation: 'Onderdelen',
  skip: 'Naar de inhoud',
  search: 'Apparaten zoeken',
  searchHint: 'Zoeken (druk op /)',
  live: 'Actueel',
  connecting: 'Verbinden',
  notLiveSince: (time) => `Niet actueel sinds ${time}`,
  stateOf: (time) => `Stand van ${time}, geen verbinding`,
  notLiveMeans:
    'Alles hieronder is zoals het toen was. Een stop kan worden gedrukt, verder kan niets worden gewijzigd. De pagina verbindt vanzelf opnieuw.',
  loading: 'Laden',
  viewNotLoaded: 'Deze weergave kon niet worden geladen.',
  facilities: (count) => plural(count, { one: '# bedrijf', other: '# bedrijven' }),
  noAlerts: 'Geen onbevestigde alarmen',
  alertsUnknown: 'Of er alarmen zijn, is niet bekend',
  alarmBar: 'Alarmen',
  goToDevice: 'Naar het apparaat',
  movement: 'Bezig',
  menu: 'Instellingen',
  signOut: 'Afmelden',
  theme: 'Uiterlijk',
  themes: { system: 'Zoals het apparaat', light: 'Licht', dark: 'Donker' },
  language: 'Taal',
  signedInWith: 'Aangemeld met de sleutel',
  person: 'Uw naam',
  personHint: 'Staat in de registratie van wat u doet.',
  palette: {
    title: 'Ga naar of doe',
    hint: 'Een apparaat, een weergave, lossen …',
    nothing: 'Niets komt overeen.',
    view: 'Weergave',
    discharge: (name) => `Lossen: ${name}`,
    feed: (name) => `Vullen: ${name}`,
    acknowledge: (facility) => `Bevestigen: ${facility}`,
    waiting: (count) => plural(count, { one: '# alarm wacht.', other: '# alarmen wachten.' }),
  },
  apiReference: 'API-beschrijving',
};

export const wall: typeof english.wall = {
  empty: 'Er zijn nog geen apparaten.',
  of: (place, count) => `${place} van ${count}`,
};

export const session: typeof english.session = {
  title: 'Aanmelden',
  what: 'Wat er in uw silo’s zit, wat beweegt en wat u nodig heeft.',
  otherWay: 'Op de machine van de dienst geeft dit een link die u aanmeldt:',
  key: 'API-sleutel',
  keyHint: 'De sleutel die de dienst bij de eerste start toonde, of een die een beheerder u gaf.',
  login: 'Aanmeldnaam',
  password: 'Wachtwoord',
  wrongLogin: 'De naam of het wachtwoord klopt niet.',
  wrongLoginOrCode: 'Het wachtwoord of de code klopt niet, of de code is al gebruikt.',
  secondFactor: 'Code van uw app, of een herstelcode',
  usePasskey: 'Aanmelden met een passkey',
  noPasskey: 'Er is geen passkey gekozen.',
  usePassword: 'Naam en wachtwoord gebruiken',
  useKey: 'Een sleutel gebruiken',
  welcome: 'Welkom',
  newPassword: 'Kies een wachtwoord',
  newPasswordHint: 'Minstens 15 tekens, zoals vier woorden die alleen u bij elkaar zet.',
  person: 'Uw naam',
  whoAreYou: 'Wie bent u?',
  personHint: 'Staat in de registratie van wat u doet. Deze browser onthoudt het.',
  goOn: 'Verder',
  notNow: 'Niet nu',
  submit: 'Aanmelden',
  signInWith: (name) => `Aanmelden met ${name}`,
  or: 'of',
  ended: 'Uw sessie is beëindigd. Meld u opnieuw aan.',
  codeUsed:
    'Deze link is al gebruikt of te oud. Meld u aan met een API-sleutel, of vraag een nieuwe link: granary console',
  unreachable: 'De dienst antwoordt niet. Deze pagina probeert het vanzelf opnieuw.',
};
