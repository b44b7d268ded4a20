import { createHash } from 'node:crypto';
import type { ErrorCode, Refusal } from '@granary/contract/errors';
import { type ServiceTexts, serviceTexts } from '@granary/words/all-languages';
import { type Language, languageOf } from '@granary/words/languages';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { preferredType } from '../protocol/accept.ts';
import { type Answerer, answerError } from '../protocol/error-map.ts';

/** The way from the callback to the operators’ page, also where a proxy puts the service below a path. */
const HOME = '../../../';
const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1rem;color:#222;background:#f5f5f3}' +
  'a{color:#0b5394}code{overflow-wrap:anywhere}@media(prefers-color-scheme:dark){body{color:#ddd;background:#1d1f21}a{color:#9cc4f2}}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

type Texts = ServiceTexts['signOnPage'];

type Why = Exclude<keyof Texts, 'signedIn' | 'goOn' | 'refused' | 'back' | 'request' | 'groups' | 'noGroups'>;

/** The reason of a refusal that a person is shown, besides its code. */
export interface RefusedArrival {
  readonly why: Why;
  /** The groups of the person; `null` when they are not the reason. */
  readonly groups: readonly string[] | null;
}

/** The language of the page: browsers name the languages of a person in their order. */
const languageFor = ({ headers }: FastifyRequest): Language =>
  languageOf((headers['accept-language'] ?? '').split(',').map((one) => one.trim().split(';')[0] ?? ''));

/** The page navigates by itself, because the browser sends the new cookie only with a request from a page of this service. */
export function sendSignedIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = languageFor(request);
  const { signedIn, goOn } = serviceTexts(language).signOnPage;
  const refresh = `<meta http-equiv="refresh" content="0;url=${HOME}">`;
  return send(reply, page(language, signedIn, `<p><a href="${HOME}">${goOn}</a></p>`, refresh));
}

/** A browser gets a page, a program the usual body. */
export const answerRefusedSignOn: Answerer = (refusal, status, request, reply) => {
  reply.header('vary', 'accept, accept-language');
  if (preferredType(request.headers.accept, ['application/json', 'text/html']) !== 'text/html') {
    return answerError(refusal, status, request, reply);
  }
  const language = languageFor(request);
  const texts = serviceTexts(language).signOnPage;
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

/** The address of this page contains the code of the provider, so the browser must not send it to other pages. */
const send = (reply: FastifyReply, html: string): FastifyReply =>
  reply
    .header('content-security-policy', POLICY)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => ENTITIES[one] ?? one);
