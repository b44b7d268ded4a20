import type * as english from '../en/shell.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('de');

export const shell: typeof english.shell = {
  viewFailed: (name: string) => `„${name}“ kann wegen eines Fehlers dieser Seite nicht gezeigt werden.`,
  restGoesOn:
    'Alarme, Stopps und die anderen Ansichten gehen weiter. Versuchen Sie es noch einmal; wenn es bleibt, sagen Sie es denen, die den Dienst betreuen.',
  thisView: 'Diese Ansicht',
  sections: {
    overview: 'Übersicht',
    alerts: 'Alarme',
    map: 'Feldkarte',
    orders: 'Bestellungen',
    operations: 'Vorgänge',
    administration: 'Verwaltung',
  },
  navigation: 'Bereiche',
  skip: 'Zum Inhalt',
  search: 'Geräte suchen',
  searchHint: 'Suchen (Taste /)',
  live: 'Aktuell',
  connecting: 'Verbinde',
  notLiveSince: (time) => `Nicht aktuell seit ${time}`,
  stateOf: (time) => `Stand von ${time}, keine Verbindung`,
  notLiveMeans:
    'Alles darunter ist der Stand von damals. Anhalten geht, sonst kann nichts geändert werden. Die Seite verbindet sich von selbst wieder.',
  loading: 'Wird geladen',
  viewNotLoaded: 'Diese Ansicht konnte nicht geladen werden.',
  facilities: (count) => plural(count, { one: '# Betrieb', other: '# Betriebe' }),
  noAlerts: 'Keine unbestätigten Alarme',
  alertsUnknown: 'Ob es Alarme gibt, ist nicht bekannt',
  alarmBar: 'Alarme',
  goToDevice: 'Zum Gerät',
  movement: 'In Bewegung',
  menu: 'Einstellungen',
  signOut: 'Abmelden',
  theme: 'Darstellung',
  themes: { system: 'Wie das Gerät', light: 'Hell', dark: 'Dunkel' },
  language: 'Sprache',
  signedInWith: 'Angemeldet mit dem Schlüssel',
  person: 'Ihr Name',
  personHint: 'Erscheint in den Aufzeichnungen dessen, was Sie tun.',
  palette: {
    title: 'Gehe zu oder tue',
    hint: 'Ein Gerät, eine Ansicht, Entnahme …',
    nothing: 'Nichts passt dazu.',
    view: 'Ansicht',
    discharge: (name) => `Entnahme: ${name}`,
    feed: (name) => `Befüllung: ${name}`,
    acknowledge: (facility) => `${facility} bestätigen`,
    waiting: (count) => plural(count, { one: '# Alarm wartet.', other: '# Alarme warten.' }),
  },
  apiReference: 'API-Referenz',
};

export const wall: typeof english.wall = {
  empty: 'Es gibt noch keine Geräte.',
  of: (place, count) => `${place} von ${count}`,
};

export const session: typeof english.session = {
  title: 'Anmelden',
  what: 'Was in Ihren Silos ist, was sich bewegt und was Sie braucht.',
  otherWay: 'Auf dem Rechner des Dienstes gibt dieser Befehl einen Link aus, der Sie anmeldet:',
  key: 'API-Schlüssel',
  keyHint: 'Der Schlüssel, den der Dienst beim ersten Start ausgegeben hat, oder einer von Ihrer Verwaltung.',
  login: 'Anmeldename',
  password: 'Passwort',
  secondFactor: 'Code Ihrer App, oder ein Wiederherstellungscode',
  usePasskey: 'Mit einem Passkey anmelden',
  noPasskey: 'Es wurde kein Passkey gewählt.',
  wrongLogin: 'Der Name oder das Passwort stimmt nicht.',
  wrongLoginOrCode: 'Das Passwort oder der Code stimmt nicht, oder der Code wurde schon benutzt.',
  usePassword: 'Name und Passwort verwenden',
  useKey: 'Schlüssel verwenden',
  welcome: 'Willkommen',
  newPassword: 'Wählen Sie ein Passwort',
  newPasswordHint: 'Mindestens 15 Zeichen, etwa vier Wörter, die nur Sie zusammensetzen.',
  person: 'Ihr Name',
  whoAreYou: 'Wer sind Sie?',
  personHint: 'Erscheint in den Aufzeichnungen dessen, was Sie tun. Dieser Browser merkt es sich.',
  goOn: 'Weiter',
  notNow: 'Nicht jetzt',
  submit: 'Anmelden',
  signInWith: (name: string) => `Anmelden mit ${name}`,
  or: 'oder',
  ended: 'Ihre Sitzung ist beendet. Melden Sie sich wieder an.',
  codeUsed:
    'Dieser Link wurde schon benutzt oder ist zu alt. Melden Sie sich mit einem API-Schlüssel an, oder holen Sie einen neuen Link: granary console',
  unreachable: 'Der Dienst antwortet nicht. Diese Seite versucht es von selbst wieder.',
};
