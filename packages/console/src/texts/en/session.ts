export const session = {
  title: 'Sign in',
  key: 'API key',
  keyHint: 'The key that the service printed at its first start, or one that an administrator gave you.',
  person: 'Your name',
  whoAreYou: 'Who are you?',
  personHint: 'Appears in the records of what you do. This browser remembers it.',
  goOn: 'Continue',
  notNow: 'Not now',
  submit: 'Sign in',
  ended: 'Your session has ended. Sign in again.',
  codeUsed:
    'This link has been used already or is too old. Sign in with an API key, or ask for a new link: granary console',
  unreachable: 'The service does not answer. This page tries again by itself.',
};
