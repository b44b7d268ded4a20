import { readFile } from 'node:fs/promises';
import { Refusal } from '@granary/contract/errors';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { type Claims, claimAt, claimedGroups } from '@granary/core/sign-on';
import type { JWTVerifyGetKey } from 'jose';
import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import type { Logger } from '../../process/logging/logger.ts';
import type { Settings } from '../../process/settings.ts';

const ANSWER_MS_MAX = 5 * SECOND_MS;
/** The addresses of the provider are read again after this time. While the provider does not answer, sign-ins that have begun use the old ones. */
const DISCOVERED_EVERY_MS = HOUR_MS;
/** Nobody is sent to a provider that has not answered for this long. */
const ANSWERED_EVERY_MS = 30 * SECOND_MS;
/** The tolerance for differences between the clocks. */
const TOLERANCE_S = 30;
const LOGOUT_AGE_MS_MAX = 5 * MINUTE_MS;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** The accepted algorithms of tokens: never `none`, and never one whose key others have, too. */
const ALGORITHMS = [
  'RS256',
  'PS256',
  'ES256',
  'RS384',
  'PS384',
  'ES384',
  'RS512',
  'PS512',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** The form of a subject as the specification defines it. */
const SUBJECT = /^[ -~]{1,255}$/;
/** More requests than this wait for the provider only if it hangs. */
const ASKING_MAX = 100;

type OpenidClient = typeof import('openid-client');

export type ProviderSettings = Pick<
  Settings,
  | 'oidcIssuer'
  | 'oidcClientId'
  | 'oidcClientSecret'
  | 'oidcClientSecretFile'
  | 'oidcScopes'
  | 'oidcGroupsClaim'
  | 'oidcAdminGroup'
  | 'oidcName'
>;

/** The values that this service needs again when the browser comes back. */
export interface SignOnState {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** The person whom the provider has sent. */
export interface Arrived {
  readonly issuer: string;
  readonly subject: string;
  /** The name of the session at the provider; `null` when the provider names none. */
  readonly sid: string | null;
  readonly claims: Claims;
}

/** The sessions that the provider says have ended. */
export interface EndedAtProvider {
  readonly issuer: string;
  readonly subject: string | null;
  readonly sid: string | null;
  readonly tokenId: string;
  readonly isUsedUntilMs: number;
}

interface Discovered {
  readonly library: OpenidClient;
  readonly configuration: Configuration;
  readonly keys: JWTVerifyGetKey;
  readonly atMs: number;
}

/** The provider did not answer, or its answer was that of a failing server. */
class ProviderAway extends Error {}

/** The data that came from the provider, or from somebody in its name, is not valid. */
export class InvalidSignOn extends Error {}

/**
 * The OpenID Connect provider of the settings. It is asked only when somebody signs in. So while it does not answer, the service can
 * start, and people who have signed in stay signed in.
 */
export class IdentityProvider {
  readonly issuer: string;
  readonly #settings: ProviderSettings;
  readonly #logger: Logger;
  #discovered: Discovered | null = null;
  #discovering: Promise<Discovered> | null = null;
  #asking = 0;

  constructor(settings: ProviderSettings & { readonly oidcIssuer: string }, logger: Logger) {
    this.issuer = settings.oidcIssuer;
    this.#settings = settings;
    this.#logger = logger;
  }

  /** The secret that this service shares with the provider. */
  async secret(): Promise<string> {
    const { oidcClientSecret, oidcClientSecretFile } = this.#settings;
    if (oidcClientSecret !== null) return oidcClientSecret;
    return await readFile(oidcClientSecretFile ?? '', 'utf8').then(
      (text) => text.trim(),
      (error: unknown) => {
        throw this.#unavailable(error);
      },
    );
  }

  /** The address to which the browser goes to sign in. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly begun: SignOnState }> {
    return this.#ask(async ({ library, configuration }) => {
      const state = library.randomState();
      const nonce = library.randomNonce();
      const verifier = library.randomPKCECodeVerifier();
      const url = library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: this.#settings.oidcScopes,
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, begun: { state, nonce, verifier, redirectUri } };
    }, ANSWERED_EVERY_MS);
  }

  /** Finds out which person comes back with this query. The tokens are not kept. */
  finish(query: string, { state, nonce, verifier, redirectUri }: SignOnState): Promise<Arrived> {
    return this.#ask(async ({ library, configuration }) => {
      const tokens = await library.authorizationCodeGrant(configuration, new URL(`${redirectUri}${query}`), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const ofToken = tokens.claims();
      if (ofToken === undefined) throw new InvalidSignOn('there is no ID token');
      refuseFuture(ofToken.iat);
      if (!SUBJECT.test(ofToken.sub)) throw new InvalidSignOn('sub is not valid');
      const path = this.#settings.oidcGroupsClaim;
      const isComplete = claimAt(ofToken, path) !== undefined || claimedGroups(ofToken, path).areLeftOut;
      const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const claims: Claims =
        isComplete || !hasMore
          ? ofToken
          : {
              ...(await library.fetchUserInfo(configuration, tokens.access_token, ofToken.sub)),
              ...ofToken,
            };
      const { sid } = ofToken;
      return {
        issuer: ofToken.iss,
        subject: ofToken.sub,
        sid: typeof sid === 'string' && sid !== '' ? sid : null,
        claims,
      };
    });
  }

  /** Reads a message that the provider sends by itself when a session has ended. */
  readLogout(token: string): Promise<EndedAtProvider> {
    return this.#ask(async ({ configuration, keys }) => {
      const { jwtVerify } = await import('jose');
      const { issuer, id_token_signing_alg_values_supported: offered } = configuration.serverMetadata();
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: this.#settings.oidcClientId,
        algorithms: ALGORITHMS.filter((one) => (offered ?? ['RS256']).includes(one)),
        clockTolerance: TOLERANCE_S,
        maxTokenAge: LOGOUT_AGE_MS_MAX / SECOND_MS,
        requiredClaims: ['iat', 'jti', 'events'],
      });
      const { sub = null, sid = null, jti = '', nonce, events } = payload;
      if (nonce !== undefined) throw new InvalidSignOn('a logout token must not have a nonce');
      const isLogout =
        typeof events === 'object' && events !== null && typeof (events as Claims)[LOGOUT_EVENT] === 'object';
      if (!isLogout) throw new InvalidSignOn('the token is not about a logout');
      if (sid !== null && typeof sid !== 'string') throw new InvalidSignOn('sid is not a text');
      if (!sid && !sub) throw new InvalidSignOn('the token names neither a session nor a person');
      return {
        issuer,
        subject: sub,
        sid: sid || null,
        tokenId: jti,
        isUsedUntilMs: Date.now() + 2 * LOGOUT_AGE_MS_MAX,
      };
    });
  }

  /** `null` if the provider answers; otherwise the reason why not. */
  async failure(): Promise<string | null> {
    return await this.#ask(async () => null, 0).catch((error: unknown) => {
      if (error instanceof Refusal || error instanceof InvalidSignOn) return reasonOf(error.cause ?? error);
      throw error;
    });
  }

  /** An error of the library means that the received data is not valid, unless the provider itself did not answer. */
  async #ask<T>(work: (discovered: Discovered) => Promise<T>, answeredMsMax?: number): Promise<T> {
    if (this.#asking >= ASKING_MAX)
      throw this.#unavailable(new ProviderAway('too many sign-ins wait for it'));
    this.#asking++;
    try {
      return await work(await this.#discover(answeredMsMax));
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (isAway(error)) throw this.#unavailable(error);
      throw new InvalidSignOn(reasonOf(error), { cause: error });
    } finally {
      this.#asking--;
    }
  }

  /** With a limit, the provider must have answered within that time. */
  async #discover(answeredMsMax?: number): Promise<Discovered> {
    const known = this.#discovered;
    const ageMsMax = answeredMsMax ?? DISCOVERED_EVERY_MS;
    if (known !== null && performance.now() - known.atMs < ageMsMax) return known;
    this.#discovering ??= this.#readConfiguration().finally(() => {
      this.#discovering = null;
    });
    try {
      this.#discovered = await this.#discovering;
      return this.#discovered;
    } catch (error) {
      if (known === null) throw error;
      this.#discovered = { ...known, atMs: Number.NEGATIVE_INFINITY };
      if (answeredMsMax !== undefined) throw error;
      return known;
    }
  }

  async #readConfiguration(): Promise<Discovered> {
    const secret = await this.secret();
    const library = await import('openid-client');
    const { createRemoteJWKSet, customFetch } = await import('jose');
    const [post, basic] = [library.ClientSecretPost(secret), library.ClientSecretBasic(secret)];
    const metadata = { [library.clockTolerance]: TOLERANCE_S };
    const configuration = await library
      .discovery(
        new URL(this.issuer),
        this.#settings.oidcClientId,
        metadata,
        (server, client, body, headers) => (usesPost(server) ? post : basic)(server, client, body, headers),
        {
          [library.customFetch]: askProvider,
          timeout: ANSWER_MS_MAX / SECOND_MS,
          execute: [
            // Without this check the library would not verify the signature of a token that came over TLS.
            library.enableNonRepudiationChecks,
            ...(this.issuer.startsWith('http:') ? [library.allowInsecureRequests] : []),
          ],
        },
      )
      .catch((error: unknown) => {
        throw new ProviderAway(
          `the provider does not describe itself as ${this.issuer}: ${reasonOf(error)}`,
          {
            cause: error,
          },
        );
      });
    const { jwks_uri: keysUrl } = configuration.serverMetadata();
    if (keysUrl === undefined) throw new ProviderAway('the provider does not say where its keys are');
    const options = { [customFetch]: askProvider, timeoutDuration: ANSWER_MS_MAX };
    const keys = createRemoteJWKSet(new URL(keysUrl), options);
    return { library, configuration, keys, atMs: performance.now() };
  }

  #unavailable(cause: unknown): Refusal {
    const reason = reasonOf(cause);
    this.#logger.warn({ issuer: this.issuer, reason }, 'the identity provider does not answer');
    return new Refusal(
      'identity_provider_unavailable',
      'the identity provider does not answer; try again, or sign in with a password or a key',
      undefined,
      { cause },
    );
  }
}

/** The secret is sent in the body where that is possible: some providers do not decode a secret in the header, as the specification requires. */
const usesPost = ({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): boolean =>
  methods?.includes('client_secret_post') === true;

/** The library accepts answers of any status, but a fault of the provider must not look like a fault of the person. */
const askProvider: CustomFetch = async (url, options) => {
  let answer: Response;
  try {
    answer = await fetch(url, { ...options, signal: AbortSignal.timeout(ANSWER_MS_MAX) } as RequestInit);
  } catch (error) {
    throw new ProviderAway(`${new URL(url).origin} does not answer`, { cause: error });
  }
  if (answer.status >= 500 || answer.status === 429) {
    throw new ProviderAway(`${new URL(url).origin} answers ${answer.status}`);
  }
  return answer;
};

function isAway(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof ProviderAway) return true;
  return false;
}

function refuseFuture(issuedAtS: number): void {
  if (issuedAtS > Date.now() / SECOND_MS + TOLERANCE_S)
    throw new InvalidSignOn('the token is from the future');
}

const REASON_CHARS_MAX = 500;

/** The messages of an error and its causes, for the log; none of them contains a token. */
function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let one = error; one instanceof Error; one = one.cause) {
    const { error: code, error_description: text } = one as { error?: unknown; error_description?: unknown };
    messages.push(one.message, ...[code, text].filter((said): said is string => typeof said === 'string'));
  }
  return [...new Set(messages)].join(': ').slice(0, REASON_CHARS_MAX);
}
