import { createHash } from 'node:crypto';
import type { ErrorCode, Refusal } from '@granary/contract/errors';
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

/** The texts of the page. They are not those of the operators’ page, which has not been loaded yet. */
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
  fr: {
    signedIn: 'Vous êtes connecté',
    goOn: 'Continuer',
    refused: 'Vous n’êtes pas connecté',
    back: 'Retour à la connexion',
    request: 'Requête',
    sign_on_refused:
      'La connexion n’a pas été acceptée, a pris trop de temps ou a déjà servi. Veuillez recommencer. Si cela se reproduit, un administrateur en trouve la raison dans le journal.',
    no_role:
      'Votre compte est connu, mais aucun de vos groupes n’a de rôle ici. Montrez cette page à un administrateur.',
    groups_left_out:
      'Votre compte est dans tant de groupes que le fournisseur d’identité n’en a envoyé aucun. Montrez cette page à un administrateur.',
    disabled: 'Votre accès a été fermé ici. Un administrateur peut le rouvrir.',
    other_person: 'Ce compte appartient déjà à une autre personne ici.',
    link_ended:
      'Cette invitation a déjà servi ou a expiré, ou vous vous êtes déconnecté entre-temps. Reconnectez-vous, ou demandez-en une nouvelle.',
    identity_provider_unavailable:
      'Le fournisseur d’identité ne répond pas. Réessayez plus tard, ou connectez-vous avec un mot de passe ou une clé.',
    other: 'Le service n’a pas pu répondre. Veuillez réessayer.',
    groups: 'Groupes reçus :',
    noGroups: 'Aucun groupe reçu.',
  },
  es: {
    signedIn: 'Ha entrado',
    goOn: 'Continuar',
    refused: 'No ha entrado',
    back: 'Volver a la entrada',
    request: 'Solicitud',
    sign_on_refused:
      'La entrada no se aceptó, tardó demasiado o ya se usó. Empiece de nuevo. Si se repite, un administrador encuentra el motivo en el registro.',
    no_role:
      'Se conoce su cuenta, pero ninguno de sus grupos tiene un papel aquí. Muestre esta página a un administrador.',
    groups_left_out:
      'Su cuenta está en tantos grupos que el proveedor de identidad no ha enviado ninguno. Muestre esta página a un administrador.',
    disabled: 'Su acceso se ha cerrado aquí. Un administrador puede volver a darlo.',
    other_person: 'Esta cuenta ya es de otra persona aquí.',
    link_ended:
      'Esta invitación ya se usó o ha caducado, o usted ha salido entretanto. Entre otra vez, o pida una nueva.',
    identity_provider_unavailable:
      'El proveedor de identidad no responde. Inténtelo más tarde, o entre con una contraseña o una clave.',
    other: 'El servicio no pudo responder. Vuelva a intentarlo.',
    groups: 'Grupos que llegaron:',
    noGroups: 'No llegó ningún grupo.',
  },
  pl: {
    signedIn: 'Zalogowano',
    goOn: 'Dalej',
    refused: 'Nie zalogowano',
    back: 'Powrót do logowania',
    request: 'Żądanie',
    sign_on_refused:
      'Logowanie nie zostało przyjęte, trwało zbyt długo albo było już użyte. Proszę zacząć od nowa. Jeśli się to powtórzy, administrator znajdzie przyczynę w dzienniku.',
    no_role:
      'Konto jest znane, ale żadna z jego grup nie ma tu roli. Proszę pokazać tę stronę administratorowi.',
    groups_left_out:
      'Konto należy do tylu grup, że dostawca tożsamości nie przesłał żadnej. Proszę pokazać tę stronę administratorowi.',
    disabled: 'Dostęp został tu zamknięty. Administrator może go przywrócić.',
    other_person: 'To konto należy tu już do innej osoby.',
    link_ended:
      'To zaproszenie było już użyte lub wygasło, albo w międzyczasie nastąpiło wylogowanie. Proszę zalogować się ponownie lub poprosić o nowe.',
    identity_provider_unavailable:
      'Dostawca tożsamości nie odpowiada. Proszę spróbować później albo zalogować się hasłem lub kluczem.',
    other: 'Usługa nie mogła odpowiedzieć. Proszę spróbować ponownie.',
    groups: 'Otrzymane grupy:',
    noGroups: 'Nie otrzymano żadnej grupy.',
  },
  nl: {
    signedIn: 'U bent aangemeld',
    goOn: 'Verder',
    refused: 'U bent niet aangemeld',
    back: 'Terug naar aanmelden',
    request: 'Verzoek',
    sign_on_refused:
      'De aanmelding werd niet aanvaard, duurde te lang of was al gebruikt. Begin opnieuw. Gebeurt het weer, dan vindt een beheerder de reden in het logboek.',
    no_role:
      'Uw account is bekend, maar geen van uw groepen heeft hier een rol. Toon deze pagina aan een beheerder.',
    groups_left_out:
      'Uw account zit in zo veel groepen dat de identiteitsprovider er geen heeft gestuurd. Toon deze pagina aan een beheerder.',
    disabled: 'Uw toegang is hier beëindigd. Een beheerder kan u weer toelaten.',
    other_person: 'Dit account hoort hier al bij een andere persoon.',
    link_ended:
      'Deze uitnodiging is al gebruikt of verlopen, of u hebt zich intussen afgemeld. Meld u opnieuw aan, of vraag een nieuwe.',
    identity_provider_unavailable:
      'De identiteitsprovider antwoordt niet. Probeer het later, of meld u aan met een wachtwoord of een sleutel.',
    other: 'De dienst kon niet antwoorden. Probeer het opnieuw.',
    groups: 'Ontvangen groepen:',
    noGroups: 'Er kwam geen groep.',
  },
} as const;

type Why = Exclude<
  keyof (typeof TEXTS)['en'],
  'signedIn' | 'goOn' | 'refused' | 'back' | 'request' | 'groups' | 'noGroups'
>;

/** The reason of a refusal that a person is shown, besides its code. */
export interface RefusedArrival {
  readonly why: Why;
  /** The groups of the person; `null` when they are not the reason. */
  readonly groups: readonly string[] | null;
}

type Texts = (typeof TEXTS)[keyof typeof TEXTS];

const isLanguage = (text: string): text is keyof typeof TEXTS => Object.hasOwn(TEXTS, text);

/** The language of the page: browsers name the languages of a person in their order. */
const languageOf = ({ headers }: FastifyRequest): keyof typeof TEXTS =>
  (headers['accept-language'] ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim().split(/[-;]/)[0] ?? '')
    .find(isLanguage) ?? 'en';

/** The page navigates by itself, because the browser sends the new cookie only with a request from a page of this service. */
export function sendSignedIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = languageOf(request);
  const { signedIn, goOn } = TEXTS[language];
  const refresh = `<meta http-equiv="refresh" content="0;url=${HOME}">`;
  return send(reply, page(language, signedIn, `<p><a href="${HOME}">${goOn}</a></p>`, refresh));
}

/** A browser gets a page, a program the usual body. */
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

/** The address of this page contains the code of the provider, so the browser must not send it to other pages. */
const send = (reply: FastifyReply, html: string): FastifyReply =>
  reply
    .header('content-security-policy', POLICY)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => ENTITIES[one] ?? one);
