import { pluralOf } from '../plural.ts';

const plural = pluralOf('en');

export const shell = {
  viewFailed: (name: string) => `“${name}” cannot be shown because of a fault in this page.`,
  restGoesOn:
    'Alarms, stops and the other views go on. Try again; if it stays, tell whoever looks after the service.',
  thisView: 'This view',
  sections: {
    overview: 'Overview',
    alerts: 'Alerts',
    map: 'Field map',
    operations: 'Operations',
    orders: 'Orders',
    administration: 'Administration',
  },
  navigation: 'Sections',
  skip: 'To the contents',
  search: 'Search devices',
  searchHint: 'Search (press /)',
  live: 'Live',
  connecting: 'Connecting',
  notLiveSince: (time: string) => `Not live since ${time}`,
  notLiveMeans:
    'Everything below is as it was then. A stop can be pressed, nothing else can be changed. The page connects again by itself.',
  loading: 'Loading',
  viewNotLoaded: 'This view could not be loaded.',
  facilities: (count: number) => plural(count, { one: '# facility', other: '# facilities' }),
  noAlerts: 'No unacknowledged alerts',
  alertsUnknown: 'Whether there are alerts is not known',
  alarmBar: 'Alarms',
  goToDevice: 'Go to device',
  movement: 'Under way',
  menu: 'Settings',
  signOut: 'Sign out',
  theme: 'Appearance',
  themes: { system: 'As the device', light: 'Light', dark: 'Dark' },
  language: 'Language',
  signedInWith: 'Signed in with the key',
  person: 'Your name',
  personHint: 'Appears in the records of what you do.',
  palette: {
    title: 'Go to or do',
    hint: 'A device, a view, discharge …',
    nothing: 'Nothing matches.',
    view: 'View',
    discharge: (name: string) => `Discharge ${name}`,
    feed: (name: string) => `Feed ${name}`,
    acknowledge: (facility: string) => `Acknowledge ${facility}`,
    waiting: (count: number) => plural(count, { one: '# alert waits.', other: '# alerts wait.' }),
  },
  apiReference: 'API reference',
};

export const wall = {
  empty: 'There are no devices yet.',
  of: (place: number, count: number) => `${place} of ${count}`,
};

export const session = {
  title: 'Sign in',
  what: 'What your silos hold, what moves, and what needs you.',
  otherWay: 'On the machine of the service, this prints a link that signs you in:',
  key: 'API key',
  keyHint: 'The key that the service printed at its first start, or one that an administrator gave you.',
  login: 'Name for signing in',
  password: 'Password',
  secondFactor: 'Code of your app, or a recovery code',
  usePasskey: 'Sign in with a passkey',
  noPasskey: 'No passkey was chosen.',
  usePassword: 'Use name and password',
  useKey: 'Use a key',
  welcome: 'Welcome',
  newPassword: 'Choose a password',
  newPasswordHint: 'At least 15 characters, such as four words that only you put together.',
  person: 'Your name',
  whoAreYou: 'Who are you?',
  personHint: 'Appears in the records of what you do. This browser remembers it.',
  goOn: 'Continue',
  notNow: 'Not now',
  submit: 'Sign in',
  signInWith: (name: string) => `Sign in with ${name}`,
  or: 'or',
  ended: 'Your session has ended. Sign in again.',
  codeUsed:
    'This link has been used already or is too old. Sign in with an API key, or ask for a new link: granary console',
  unreachable: 'The service does not answer. This page tries again by itself.',
};
