import type { session as english } from '../en/session.ts';

export const session: typeof english = {
  title: 'Anmelden',
  key: 'API-Schlüssel',
  keyHint: 'Der Schlüssel, den der Dienst beim ersten Start ausgegeben hat, oder einer von Ihrer Verwaltung.',
  person: 'Ihr Name',
  whoAreYou: 'Wer sind Sie?',
  personHint: 'Erscheint in den Aufzeichnungen dessen, was Sie tun. Dieser Browser merkt es sich.',
  goOn: 'Weiter',
  notNow: 'Nicht jetzt',
  submit: 'Anmelden',
  ended: 'Ihre Sitzung ist beendet. Melden Sie sich wieder an.',
  codeUsed:
    'Dieser Link wurde schon benutzt oder ist zu alt. Melden Sie sich mit einem API-Schlüssel an, oder holen Sie einen neuen Link: granary console',
  unreachable: 'Der Dienst antwortet nicht. Diese Seite versucht es von selbst wieder.',
};
