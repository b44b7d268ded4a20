import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Provider, { type Adapter, type AdapterPayload } from 'oidc-provider';

export const CLIENT = { id: 'granary', secret: 'a secret of the provider and the service' };

/** A person whom the provider knows. */
export interface ProviderPerson {
  readonly name?: string;
  readonly email?: string;
  readonly groups: readonly string[];
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const HOUR_S = 3_600;
const INTERACTION = '/interaction/';

/** The stored records of one kind at the provider. */
class MemoryAdapter implements Adapter {
  readonly #stored = new Map<string, AdapterPayload>();

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    this.#stored.set(id, payload);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#stored.get(id);
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return [...this.#stored.values()].find((one) => one.userCode === userCode);
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return [...this.#stored.values()].find((one) => one.uid === uid);
  }

  async consume(id: string): Promise<void> {
    const stored = this.#stored.get(id);
    if (stored !== undefined) this.#stored.set(id, { ...stored, consumed: Math.floor(Date.now() / 1_000) });
  }

  async destroy(id: string): Promise<void> {
    this.#stored.delete(id);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [id, { grantId: own }] of this.#stored) if (own === grantId) this.#stored.delete(id);
  }
}

const signingKey = () => ({
  ...generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' }),
  use: 'sig',
  alg: 'RS256',
});

/** The pages on which people sign in at the provider, and then allow the service to know their name. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, session, params } = await provider.interactionDetails(request, response);
  if (request.method === 'GET') {
    const fields =
      prompt.name === 'login' ? '<input name="login"><input name="password" type="password">' : '';
    response.setHeader('content-type', 'text/html').end(
      `<!doctype html><title>${prompt.name}</title><form method="post" action="${request.url}">
       <input type="hidden" name="prompt" value="${prompt.name}">${fields}<button type="submit">Go on</button></form>`,
    );
    return;
  }
  const form = new URLSearchParams(await text(request));
  if (prompt.name === 'login') {
    const login = { accountId: form.get('login') ?? '' };
    await provider.interactionFinished(request, response, { login });
    return;
  }
  const grant = new provider.Grant({
    accountId: session?.accountId ?? '',
    clientId: String(params['client_id']),
  });
  grant.addOIDCScope(String(params['scope']));
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

/**
 * The third-party `oidc-provider`, on another host name than that of the service. It lets in everybody who is named here, with any
 * password.
 */
export class TestProvider {
  readonly people = new Map<string, ProviderPerson>();
  readonly #server: Server;
  #answer: Answer = (_request, response) => void response.writeHead(503).end();
  #working: Answer = this.#answer;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => this.#answer(request, response));
    // The process may end while this server still runs.
    server.unref();
  }

  static async start(): Promise<TestProvider> {
    const server = createServer().listen(0, 'localhost');
    await once(server, 'listening');
    return new TestProvider(server);
  }

  get issuer(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  get settings(): Readonly<Record<string, string>> {
    return {
      GRANARY_OIDC_ISSUER: this.issuer,
      GRANARY_OIDC_CLIENT_ID: CLIENT.id,
      GRANARY_OIDC_CLIENT_SECRET: CLIENT.secret,
      GRANARY_OIDC_SCOPES: 'openid profile email groups',
      GRANARY_OIDC_NAME: 'Farm ID',
    };
  }

  /** Begins to work for the services at these addresses; the first one is told of sign-outs. */
  serve(...services: readonly string[]): void {
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: services.map((url) => `${url}/v1/session/oidc/callback`),
          backchannel_logout_uri: `${services[0]}/v1/session/oidc-logout`,
          backchannel_logout_session_required: true,
        },
      ],
      claims: {
        openid: ['sub'],
        profile: ['name', 'preferred_username'],
        email: ['email', 'email_verified'],
        groups: ['groups'],
      },
      cookies: { keys: ['a key of the tests'] },
      adapter: MemoryAdapter,
      jwks: { keys: [signingKey()] },
      ttl: { AccessToken: HOUR_S, IdToken: HOUR_S, Interaction: HOUR_S, Session: HOUR_S, Grant: HOUR_S },
      interactions: { url: (_context, { uid }) => `${INTERACTION}${uid}` },
      renderError: (context, { error, error_description: description }) => {
        context.type = 'text';
        context.body = `${error}: ${description}`;
      },
      // The provider's own function refuses addresses of this machine, where the services of the tests are.
      fetch: (url, { method, headers, body } = {}) =>
        fetch(url, { method: method ?? 'GET', headers: headers ?? {}, body: body ?? null }),
      features: {
        backchannelLogout: { enabled: true },
        devInteractions: { enabled: false },
        rpInitiatedLogout: {
          logoutSource: (context, form) => {
            context.body = `<!doctype html><title>Sign out</title>${form}
              <button type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>`;
          },
          postLogoutSuccessSource: (context) => {
            context.body = '<!doctype html><title>Signed out</title>';
          },
        },
      },
      findAccount: (_context, id) => {
        const { name = id, email = 'shared@example.com', groups } = this.people.get(id) ?? { groups: [] };
        const claims = {
          sub: id,
          name,
          preferred_username: id,
          email,
          email_verified: true,
          groups: [...groups],
        };
        return { accountId: id, claims: async () => claims };
      },
    });
    const protocol = provider.callback();
    this.#working = (request, response) => {
      if (request.url?.startsWith(INTERACTION) !== true) return void protocol(request, response);
      interact(provider, request, response).catch((error: unknown) =>
        response.writeHead(400).end(String(error)),
      );
    };
    this.#answer = this.#working;
  }

  /** Makes the provider work, refuse every connection (`away`), or accept connections without an answer (`hanging`). */
  become(state: 'working' | 'away' | 'hanging'): void {
    if (state === 'working') this.#answer = this.#working;
    else this.#answer = state === 'away' ? (request) => void request.socket.destroy() : () => undefined;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Does the work of a browser between the two addresses, without its rules, which are tested in a real browser. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();

  cookiesFor(url: string): string {
    const own = this.#cookies.get(new URL(url).host) ?? new Map<string, string>();
    return [...own].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  keep(url: string, headers: Headers): void {
    const { host } = new URL(url);
    const own = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, own);
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      const at = pair.indexOf('=');
      own.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }

  async #send(url: string, form: Readonly<Record<string, string>> | null): Promise<string> {
    const answer = await fetch(url, {
      method: form === null ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie: this.cookiesFor(url) },
      body: form === null ? null : new URLSearchParams(form),
    });
    this.keep(url, answer.headers);
    const location = answer.headers.get('location');
    if (location !== null) return new URL(location, url).href;
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
    // A page of the provider with one form.
    const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(text) ?? [];
    const [, action = ''] = /action="([^"]+)"/.exec(text) ?? [];
    if (prompt === '') throw new Error(`${url} shows ${text}`);
    return JSON.stringify({ action: new URL(action, url).href, prompt });
  }

  /** Signs in at the provider, and returns the address to which the provider sends the browser back. */
  async signInAt(start: string, login: string): Promise<string> {
    const { host } = new URL(start);
    let next = start;
    while (next.startsWith('{') || new URL(next).host === host) {
      if (!next.startsWith('{')) {
        next = await this.#send(next, null);
        continue;
      }
      const { action, prompt } = JSON.parse(next) as { action: string; prompt: string };
      const form = prompt === 'login' ? { prompt, login, password: 'any' } : { prompt };
      next = await this.#send(action, form);
    }
    return next;
  }

  /** Ends the session at the provider, which then tells the service before it answers. */
  async signOutAt(issuer: string): Promise<void> {
    const asked = await fetch(`${issuer}/session/end`, { headers: { cookie: this.cookiesFor(issuer) } });
    this.keep(issuer, asked.headers);
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(await asked.text()) ?? [];
    const ended = await fetch(`${issuer}/session/end/confirm`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: this.cookiesFor(issuer) },
      body: new URLSearchParams({ xsrf, logout: 'yes' }),
    });
    this.keep(issuer, ended.headers);
    if (ended.status !== 303) throw new Error(`the provider answered ${ended.status}: ${await ended.text()}`);
  }
}
