import { createHash } from 'node:crypto';
import type { ErrorCode, Refusal } from '@granary/contract/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { preferredType } from '../protocol/accept.ts';
import { type Answerer, answerError } from '../protocol/error-map.ts';

/** From the callback to the operators’ page, also where a proxy puts the service below a path. */
const HOME = '../../../';
const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1rem;color:#222;background:#f5f5f3}' +
  'a{color:#0b5394}code{overflow-wrap:anywhere}@media(prefers-color-scheme:dark){body{color:#ddd;background:#1d1f21}a{color:#9cc4f2}}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** What a page says; the operators’ page has not been loaded yet, so it cannot say it. */
const TEXTS = {
  en: {
    signedIn: 'You are signed in',
    goOn: 'Continue',
    refused: 'You are not signed in',
    back: 'Back to signing in',
    request: 'Request',
    sign_on_refused:
      'The sign-in was not accepted, or took too long, or was used before. Please begin again. If it happens again, an administrator finds the reason in the log.',
    no_role:
      'Your account is known, but none of your groups has a role here. Show this page to an administrator.',
    groups_left_out:
      'Your account is in so many groups that the identity provider has sent none of them. Show this page to an administrator.',
    disabled: 'Your access was ended here. An administrator can let you in again.',
    other_person: 'This account already belongs to another person here.',
    link_ended:
      'This invitation was used before or has ended, or you have signed out meanwhile. Sign in again, or ask for a new one.',
    identity_provider_unavailable:
      'The identity provider does not answer. Try again later, or sign in with a password or a key.',
    other: 'The service could not answer. Please try again.',
    groups: 'Groups that came:',
    noGroups: 'No groups came.',
  },
  de: {
    signedIn: 'Sie sind angemeldet',
    goOn: 'Weiter',
    refused: 'Sie sind nicht angemeldet',
    back: 'Zurück zur Anmeldung',
    request: 'Anfrage',
    sign_on_refused:
      'Die Anmeldung wurde nicht angenommen, hat zu lange gedauert oder wurde schon benutzt. Bitte beginnen Sie von vorn. Geschieht es wieder, findet Ihre Verwaltung den Grund im Protokoll.',
    no_role:
      'Ihr Konto ist bekannt, aber keine Ihrer Gruppen hat hier eine Rolle. Zeigen Sie diese Seite Ihrer Verwaltung.',
    groups_left_out:
      'Ihr Konto ist in so vielen Gruppen, dass der Identitätsanbieter keine davon geschickt hat. Zeigen Sie diese Seite Ihrer Verwaltung.',
    disabled: 'Ihr Zugang wurde hier beendet. Ihre Verwaltung kann Sie wieder zulassen.',
    other_person: 'Dieses Konto gehört hier schon zu einer anderen Person.',
    link_ended:
      'Diese Einladung wurde schon benutzt oder ist abgelaufen, oder Sie haben sich inzwischen abgemeldet. Melden Sie sich wieder an, oder bitten Sie um eine neue.',
    identity_provider_unavailable:
      'Der Identitätsanbieter antwortet nicht. Versuchen Sie es später, oder melden Sie sich mit Passwort oder Schlüssel an.',
    other: 'Der Dienst konnte nicht antworten. Bitte versuchen Sie es noch einmal.',
    groups: 'Gruppen, die gekommen sind:',
    noGroups: 'Es kam keine Gruppe.',
  },
} as const;

type Why = Exclude<
  keyof (typeof TEXTS)['en'],
  'signedIn' | 'goOn' | 'refused' | 'back' | 'request' | 'groups' | 'noGroups'
>;

/** What a person is shown of a refusal, besides its code. */
export interface RefusedArrival {
  readonly why: Why;
  /** `null` where they are not the reason. */
  readonly groups: readonly string[] | null;
}

type Texts = (typeof TEXTS)[keyof typeof TEXTS];

const languageOf = ({ headers }: FastifyRequest): keyof typeof TEXTS =>
  /^\s*de\b/i.test(headers['accept-language'] ?? '') ? 'de' : 'en';

/** It navigates by itself: only a page of this service makes the browser send the cookie that it has just got. */
export function sendSignedIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = languageOf(request);
  const { signedIn, goOn } = TEXTS[language];
  const refresh = `<meta http-equiv="refresh" content="0;url=${HOME}">`;
  return send(reply, page(language, signedIn, `<p><a href="${HOME}">${goOn}</a></p>`, refresh));
}

/** Browsers get a page, programs the usual body. */
export const answerRefusedSignOn: Answerer = (refusal, status, request, reply) => {
  reply.header('vary', 'accept, accept-language');
  if (preferredType(request.headers.accept, ['application/json', 'text/html']) !== 'text/html') {
    return answerError(refusal, status, request, reply);
  }
  const language = languageOf(request);
  const texts = TEXTS[language];
  const { why, groups } = shownOf(refusal);
  const body = `<p>${texts[why]}</p>${groups === null ? '' : groupList(texts, groups)}
<p><a href="${HOME}">${texts.back}</a></p><p><small>${texts.request} <code>${escaped(request.id)}</code></small></p>`;
  send(reply.code(status), page(language, texts.refused, body));
};

const shownWhy: Partial<Record<ErrorCode, Why>> = {
  sign_on_refused: 'sign_on_refused',
  no_role: 'no_role',
  identity_provider_unavailable: 'identity_provider_unavailable',
};

const shownOf = (refusal: Refusal): RefusedArrival =>
  (refusal.cause as RefusedArrival | undefined)?.why === undefined
    ? { why: shownWhy[refusal.code] ?? 'other', groups: null }
    : (refusal.cause as RefusedArrival);

const groupList = (texts: Texts, groups: readonly string[]): string =>
  groups.length === 0
    ? `<p>${texts.noGroups}</p>`
    : `<p>${texts.groups}</p><ul>${groups.map((group) => `<li><code>${escaped(group)}</code></li>`).join('')}</ul>`;

const page = (language: string, title: string, body: string, head = ''): string =>
  `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}<title>Granary</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`;

/** The address of this page has the code of the provider, so no other page is told it. */
const send = (reply: FastifyReply, html: string): FastifyReply =>
  reply
    .header('content-security-policy', POLICY)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => ENTITIES[one] ?? one);
