import { newId } from '@granary/app/ids';
import type { Arrival, IdentityLink } from '@granary/app/sign-on/sign-on';
import { FORM_TYPE } from '@granary/contract/endpoints/broker';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { SIGN_ON_COOKIE, type SignInResult } from '@granary/contract/sign-on';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { auditInput } from '@granary/core/audit';
import { claimedGroups, claimedPerson, signInRecord } from '@granary/core/sign-on';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../../process/keys/callers.ts';
import {
  decryptSecret,
  encryptSecret,
  hashSecret,
  isInviteCode,
  newSessionSecret,
} from '../../process/keys/secrets.ts';
import { knownNetwork } from '../access/caller-address.ts';
import { refuseLimited, sessionSecret } from '../access/credentials.ts';
import { isEncrypted, refusalOfForeignSignIn } from '../access/own-page.ts';
import { actingAs, attempting } from '../audit/attempt.ts';
import { refusalRecorder } from '../audit/refused-attempts.ts';
import type { Exchange } from '../exchange.ts';
import { badCursor, pageOf, readPage, success } from '../protocol/answers.ts';
import { errorHandler } from '../protocol/error-map.ts';
import { acceptAlso } from '../protocol/json-body.ts';
import { register, registerAtOnce } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';
import { browserOf, sessionCookie } from '../session/session.ts';
import { IdentityProvider, InvalidSignOn, type SignOnState } from './identity-provider.ts';
import { answerRefusedSignOn, type RefusedArrival, sendSignedIn } from './pages.ts';

const CALLBACK_PATH = '/v1/session/oidc/callback';
const LOGOUT_PATH = '/v1/session/oidc-logout';
const LASTS_MS = 10 * MINUTE_MS;
const GROUPS_NAMED_MAX = 20;

/** The state of a sign-in. It is kept in a cookie that only this service can read and write, so beginning a sign-in stores nothing here. */
interface Begun extends SignOnState {
  readonly link: IdentityLink | null;
  readonly expiresAtMs: number;
}

const notSetUp = (): Refusal =>
  new Refusal('route_not_found', 'single sign-on is not set up: GRANARY_OIDC_ISSUER is missing');

/** `null` where single sign-on is not set up. */
export function identityProviderOf({
  settings,
  logger,
}: Parts<'settings' | 'logger'>): IdentityProvider | null {
  const { oidcIssuer } = settings;
  return oidcIssuer === null ? null : new IdentityProvider({ ...settings, oidcIssuer }, logger);
}

type Add = (
  routes: FastifyInstance,
  parts: Parts<'changes' | 'keyring' | 'logger' | 'now' | 'provider' | 'refusedAttempts' | 'settings'>,
) => void;

function provided(provider: IdentityProvider | null): IdentityProvider {
  if (provider === null) throw notSetUp();
  return provider;
}

const startRoute: Add = (routes, parts) => {
  const { keyring, settings, provider } = parts;

  registerAtOnce(routes, endpoints.signOn.start, async ({ request, reply, read }) => {
    const foreign = refusalOfForeignSignIn(request, settings.publicUrl);
    if (foreign !== null) throw foreign;
    const { invite } = read.body(request);
    const link = invite === undefined ? null : await linkBy(invite);
    return await begin(provided(provider), request, reply, parts, link);
  });

  /** Identifies a person by an invitation, which is used up when the browser comes back. */
  async function linkBy(invite: string): Promise<IdentityLink> {
    const key = isInviteCode(invite) ? await keyring.keyOfCode(invite) : null;
    if (key === null) throw refusalOf('link_ended');
    return { keyId: key.keyId, codeHash: hashSecret(invite), sessionHash: null };
  }
};

const callbackRoute: Add = (routes, parts) => {
  const { changes, settings, logger, now, provider } = parts;
  const record = refusalRecorder(parts.refusedAttempts, now);
  routes.setErrorHandler(errorHandler(logger, answerRefusedSignOn, record));

  registerAtOnce(routes, endpoints.signOn.callback, async (exchange) => {
    const { request, reply } = exchange;
    const begun = await readBegun(provided(provider), request, now());
    if (!(await changes(exchange).signOn.use(hashSecret(begun.state), begun.expiresAtMs))) {
      throw beginAgain('this sign-in was finished before');
    }
    const arrived = await provided(provider)
      .finish(queryOf(request), begun)
      .catch((error: unknown) => refuseInvalid(error, exchange));
    const { issuer, subject, claims } = arrived;
    const claimed = claimedGroups(claims, settings.oidcGroupsClaim);
    // What the provider has sent is the input in the audit log, in place of the code and the state.
    const input = auditInput({}, { issuer, subject, groups: claimed.groups });
    const arriving = attempting(exchange, { input });
    const { key, sessionHours } = await admit(
      { issuer, subject, person: claimedPerson(claims), claimed },
      begun.link,
      arriving,
    );
    const admitted = actingAs(arriving, callerOf({ ...key, personalKeyId: null }));
    const secret = newSessionSecret();
    const former = sessionSecret(request);
    const nowMs = now();
    const created = await changes(admitted).session.create({
      keyId: key.keyId,
      hash: hashSecret(secret),
      nowMs,
      formerHash: former === undefined ? null : hashSecret(former),
      codeHash: null,
      from: browserOf(request),
      place: knownNetwork(request.address),
      provider: { providerSid: arrived.sid ?? '', endsAtMs: nowMs + sessionHours * HOUR_MS },
    });
    if (created === undefined) throw refusalOf('disabled');
    const isSecure = begun.redirectUri.startsWith('https:');
    reply.header('set-cookie', [sessionCookie(secret, isSecure), signOnCookie('', 0, isSecure)]);
    return sendSignedIn(request, reply);
  });

  /** Signs a person in; refuses a person who has no rights here. */
  async function admit(
    claim: Pick<Arrival, 'issuer' | 'subject' | 'person' | 'claimed'>,
    link: IdentityLink | null,
    exchange: Exchange,
  ) {
    const {
      issuer,
      subject,
      claimed: { groups },
    } = claim;
    const nowMs = now();
    const outcome = await changes(exchange).signOn.arrive({
      ...claim,
      adminGroup: settings.oidcAdminGroup,
      link,
      newKeyId: newId('per', nowMs),
      distinction: hashSecret(`${issuer} ${subject}`).slice(0, 8),
      address: exchange.request.address,
      nowMs,
    });
    if (outcome.kind === 'known') return outcome;
    const { result } = outcome;
    logger.warn({ issuer, subject, result, groups }, 'a sign-in with the identity provider was refused');
    throw refusalOf(result, groups);
  }

  /** The log and administrators are told the reason, the caller is not. */
  async function refuseInvalid(error: unknown, exchange: Exchange): Promise<never> {
    if (!(error instanceof InvalidSignOn)) throw error;
    const { issuer } = provided(provider);
    const reason = error.message;
    const { request } = exchange;
    const context = { issuer, reason, request_id: request.id };
    logger.warn(context, 'a sign-in with the identity provider is not valid');
    await changes(exchange).signOn.noteInvalid({ issuer, reason, address: request.address, nowMs: now() });
    throw refusalOf('not_valid');
  }
};

const logoutRoute: Add = (routes, { changes, logger, provider }) => {
  acceptAlso(routes, FORM_TYPE, async (text) => ({
    logout_token: new URLSearchParams(text).get('logout_token') ?? '',
  }));

  registerAtOnce(routes, endpoints.signOn.logout, async (exchange) => {
    const { request, read } = exchange;
    const { logout_token: token } = read.body(request);
    const { issuer } = provided(provider);
    const ended = await provided(provider)
      .readLogout(token)
      .catch((error: unknown) => {
        if (!(error instanceof InvalidSignOn)) throw error;
        const context = { issuer, reason: error.message, request_id: request.id };
        logger.warn(context, 'a logout of the identity provider is not valid');
        throw new Refusal('invalid_input', 'the logout token is not valid');
      });
    const { tokenId, isUsedUntilMs, ...who } = ended;
    const message = { hash: hashSecret(`logout ${issuer} ${tokenId}`), expiresAtMs: isUsedUntilMs };
    return success({ sessions: await changes(exchange).signOn.logout(who, message) });
  });
};

/** The routes that need no session. They wait for the provider, so they hold no place that other requests need. */
export const SIGN_ON_ROUTES: readonly Add[] = [startRoute, callbackRoute, logoutRoute];

/** The routes for people who have signed in, and for administrators. */
export function signOnAdminRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'now' | 'checks' | 'provider'>,
): void {
  const { reads, settings, provider, checks } = parts;
  const declared = endpoints.signOn;

  registerAtOnce(routes, declared.link, async (exchange) => {
    const { request, reply, read } = exchange;
    const { kind, keyId, session, personalKeyId } = request.caller;
    if (kind !== 'person' || session === null || personalKeyId !== null) {
      throw new Refusal('forbidden', 'only a person who has signed in can add an identity');
    }
    const { current_password: password = '' } = read.body(request);
    const person = await reads(request).people.find(keyId);
    // A session alone must not add a way to sign in that outlives the session.
    if (person?.hasPassword !== true) {
      throw new Refusal('forbidden', 'whoever has no password links another identity with an invitation');
    }
    await checks.passwords.require(person.login, password, exchange);
    const link = { keyId, codeHash: null, sessionHash: session.hash };
    return await begin(provided(provider), request, reply, parts, link);
  });

  registerAtOnce(routes, declared.provider, async ({ request }) => {
    refuseLimited(request, 'see the identity provider');
    const { issuer } = provided(provider);
    const failure = await provided(provider).failure();
    return success({
      issuer,
      client_id: settings.oidcClientId,
      groups_claim: settings.oidcGroupsClaim,
      admin_group: settings.oidcAdminGroup,
      callback_path: CALLBACK_PATH,
      logout_path: LOGOUT_PATH,
      answers: failure === null,
      failure,
    });
  });

  register(routes, declared.signIns, async ({ request, read }) => {
    refuseLimited(request, 'see who has signed in');
    const before = (cursor: string | null, limit: number) =>
      reads(request).signOn.signIns(cursor === null ? null : numberOf(cursor), limit);
    const page = pageOf(read.query(request));
    return await readPage(request, page, before, ({ signInNo }) => String(signInNo), signInRecord);
  });
}

async function begin(
  provider: IdentityProvider,
  request: FastifyRequest,
  reply: FastifyReply,
  { settings, now }: Parts<'settings' | 'now'>,
  link: IdentityLink | null,
) {
  const redirectUri = `${addressOf(request, settings.publicUrl)}${CALLBACK_PATH}`;
  const { url, begun } = await provider.begin(redirectUri);
  const kept: Begun = { ...begun, link, expiresAtMs: now() + LASTS_MS };
  const sealed = encryptSecret(JSON.stringify(kept), await provider.secret());
  reply.header('set-cookie', signOnCookie(sealed, LASTS_MS / SECOND_MS, redirectUri.startsWith('https:')));
  return success({ url });
}

/** The address at which the browser knows this service; its page was checked before. A program does not send one. */
function addressOf(request: FastifyRequest, publicUrl: string | null): string {
  const { origin, host } = request.headers;
  if (origin !== undefined) return origin;
  return publicUrl === null
    ? `${isEncrypted(request) ? 'https' : 'http'}://${host}`
    : new URL(publicUrl).origin;
}

/** The cookie is `Lax`, because the page of the provider leads back here; only the callback gets it. */
const signOnCookie = (value: string, lastsS: number, isSecure: boolean): string =>
  [
    `${SIGN_ON_COOKIE}=${value}`,
    `Max-Age=${lastsS}`,
    `Path=${CALLBACK_PATH}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');

/** Refuses a browser that has not begun this sign-in. */
async function readBegun(provider: IdentityProvider, request: FastifyRequest, nowMs: number): Promise<Begun> {
  const cookies = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const sealed =
    cookies.find((pair) => pair.startsWith(`${SIGN_ON_COOKIE}=`))?.slice(SIGN_ON_COOKIE.length + 1) ?? '';
  const opened = sealed === '' ? null : decryptSecret(sealed, await provider.secret());
  if (opened === null) throw beginAgain('this browser has not begun a sign-in');
  const begun: Begun = JSON.parse(opened);
  const { state } = request.query as { readonly state?: unknown };
  if (state !== begun.state) throw beginAgain('this is the end of another sign-in');
  if (nowMs >= begun.expiresAtMs) throw beginAgain('this sign-in took too long');
  return begun;
}

const queryOf = ({ url }: FastifyRequest): string => {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at);
};

const beginAgain = (why: string): Refusal => new Refusal('sign_on_refused', `${why}; begin again`);

const REFUSALS = {
  groups_left_out: 'the identity provider has left out the groups, because there are too many for a token',
  disabled: 'this person was disabled',
  other_person: 'this identity belongs to another person',
  link_ended: 'this invitation was used before or has ended, or you have signed out meanwhile',
} as const;

function refusalOf(result: Exclude<SignInResult, 'signed_in'>, groups: readonly string[] = []): Refusal {
  if (result === 'not_valid') return beginAgain('the sign-in was not accepted');
  const isAboutGroups = result === 'no_role' || result === 'groups_left_out';
  const shown: RefusedArrival = { why: result, groups: isAboutGroups ? groups : null };
  const named = groups.slice(0, GROUPS_NAMED_MAX).join(', ') || 'none';
  const message =
    result === 'no_role' ? `none of the groups that came has a role here: ${named}` : REFUSALS[result];
  return new Refusal(isAboutGroups ? 'no_role' : 'sign_on_refused', message, undefined, { cause: shown });
}

function numberOf(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw badCursor();
  return Number(cursor);
}
