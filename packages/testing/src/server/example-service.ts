import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Endpoint, Example } from '@granary/contract/endpoints/declaration/endpoint';
import { DEFAULT_ADDRESSES, groupRoots } from '@granary/contract/endpoints/declaration/groups';
import { fillPath } from '@granary/contract/endpoints/declaration/paths';
import { EXAMPLE_PASSWORD } from '@granary/contract/endpoints/me';
import { EXAMPLE_PERSON_ID } from '@granary/contract/endpoints/people';
import { EXAMPLE_KEY } from '@granary/contract/endpoints/session';
import { checkedTimeMs, TIME_EXAMPLE } from '@granary/contract/time';
import type { Resolve } from '@granary/server/background/webhooks/address-guard';
import { createService, type Started } from '@granary/server/compose';
import { readSettings } from '@granary/server/process/settings';
import { type MutableToken, OAuth2Server } from 'oauth2-mock-server';
import { writeBuiltConsole } from './built-console.ts';
import { ExampleResources } from './example-resources.ts';
import { QUICK_PASSWORDS } from './quick-passwords.ts';
import { apiOf, siloNamed } from './service.ts';

const ROOTS = groupRoots(DEFAULT_ADDRESSES);

/** The examples are about a certain day, so the clock of the service is set to that day. */
const AHEAD_MS = checkedTimeMs(TIME_EXAMPLE) - Date.now();
const now = (): number => Date.now() + AHEAD_MS;

const CLIENT_ID = 'granary';

interface Besides {
  readonly query?: URLSearchParams;
  /** Headers that are sent in place of the key. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Adds values to a body; not every body of the other examples is an object. */
const withBesides = (given: unknown, { body }: Besides): unknown =>
  body === undefined ? given : { ...(given as object), ...body };

/** A service with the resources that the examples of the endpoints name. */
export class ExampleService {
  #started: Started | undefined;
  readonly #undos: (() => Promise<void>)[] = [];
  readonly #provider = new OAuth2Server();
  #count = 0;
  readonly #api = apiOf(
    () => this.#running,
    () => this.#running.adminKey.key,
  );
  readonly #resources = new ExampleResources(this.#api, now);

  get #running(): Started {
    if (this.#started === undefined) throw new Error('the service has not started');
    return this.#started;
  }

  get httpUrl(): string {
    return this.#running.httpUrl;
  }

  async start(): Promise<void> {
    const dataDir = await mkdtemp(join(tmpdir(), 'granary-test-'));
    this.#undos.push(() => rm(dataDir, { recursive: true, force: true }));
    const env = {
      GRANARY_ADMIN_KEY: EXAMPLE_KEY,
      GRANARY_HTTP_PORT: '0',
      GRANARY_MQTT_PORT: '0',
      GRANARY_RATE_LIMIT: 'off',
      GRANARY_LINK_THREADS: '0',
      // No mail server listens there: the examples create rules, and no alert of theirs reaches anybody.
      GRANARY_SMTP_URL: 'smtp://127.0.0.1:9',
      GRANARY_MAIL_FROM: 'granary@example.com',
    };
    const signOn = await this.#startProvider();
    const settings = readSettings({
      ...env,
      ...signOn,
      GRANARY_LOG_LEVEL: 'silent',
      GRANARY_DATA_DIR: dataDir,
    });
    // The names of receivers resolve to an address that is refused, so that nothing leaves this machine.
    const resolve: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const consoleFolder = join(dataDir, 'console');
    await writeBuiltConsole(consoleFolder);
    const service = createService(settings, {
      now,
      webhooks: { resolve },
      consoleFolder,
      passwordCosts: QUICK_PASSWORDS,
    });
    this.#undos.push(() => service.stop());
    this.#started = await service.start();
    await this.#api.post('/sandbox/plants', { id: 42, name: 'Fern' });
    await this.#api.put('/v1/sign-in-policy', { groups: [{ group: 'operators', role: 'operator' }] });
  }

  async #startProvider(): Promise<Readonly<Record<string, string>>> {
    const { issuer, service } = this.#provider;
    await issuer.keys.generate('RS256');
    await this.#provider.start(0, 'localhost');
    this.#undos.push(() => this.#provider.stop());
    service.on('beforeTokenSigning', ({ payload }: MutableToken) => {
      Object.assign(payload, { sub: 'ada', name: 'Ada', groups: ['operators'] });
    });
    return {
      GRANARY_OIDC_ISSUER: issuer.url ?? '',
      GRANARY_OIDC_CLIENT_ID: CLIENT_ID,
      GRANARY_OIDC_CLIENT_SECRET: 'an example of a secret',
    };
  }

  /** The values that a browser or the identity provider adds to an example that succeeds. */
  async #besides({ path }: Endpoint, { refusal }: Example): Promise<Besides> {
    if (refusal !== undefined) return {};
    const own = { origin: this.httpUrl, 'sec-fetch-site': 'same-origin' };
    if (path === '/session/oidc/link') {
      const person = { login: `linked-${++this.#count}`, name: 'Ada', grants: [{ role: 'viewer' }] };
      const { code: invite } = (await this.#api.post('/v1/people', person)).body.data;
      const { headers } = await this.#api.post('/v1/session', { invite, password: EXAMPLE_PASSWORD });
      return { headers: { ...own, cookie: headers.get('set-cookie')?.split(';', 1)[0] ?? '' } };
    }
    if (path === '/bridges/{bridge_id}/key') {
      const { key_id } = (await this.#api.post('/v1/keys', { name: 'mill', scopes: ['ingest'] })).body.data;
      return { body: { key_id } };
    }
    if (path === '/session/oidc/callback') {
      const { headers, body } = await this.#api.raw('POST', '/v1/session/oidc/start', { headers: own });
      const redirected = await fetch(body.data.url, { redirect: 'manual' });
      const { searchParams: query } = new URL(redirected.headers.get('location') ?? '');
      return { query, headers: { cookie: headers.get('set-cookie')?.split(';', 1)[0] ?? '' } };
    }
    if (path !== '/session/oidc-logout') return {};
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const token = await this.#provider.issuer.buildToken({
      scopesOrTransform: (_header, payload) =>
        void Object.assign(payload, { aud: CLIENT_ID, sub: 'ada', jti: `logout ${++this.#count}`, events }),
    });
    return { body: { logout_token: token } };
  }

  async stop(): Promise<void> {
    await this.#resources.leave();
    for (const undo of this.#undos.reverse()) await undo();
  }

  /** Prepares the resources of the example, and sends it to the service or to a proxy of it. */
  async send(endpoint: Endpoint, example: Example, baseUrl = this.httpUrl): Promise<Response> {
    const { group, method, path, parameters: declared, needsKey } = endpoint;
    const prepared = await this.#resources.prepare(endpoint);
    const parameters = Object.fromEntries(
      Object.entries(declared).map(([name, { example: usual }]) => {
        const given = example.parameters[name] ?? '';
        return [name, given === usual ? (prepared[name] ?? given) : given];
      }),
    );
    const besides = await this.#besides(endpoint, example);
    const query = besides.query ?? new URLSearchParams(example.query as Record<string, string>);
    const url = `${baseUrl}${ROOTS[group]}${fillPath(path, parameters)}?${query}`;
    const credentials = besides.headers ?? (await this.#ownHeaders(path)) ?? this.#api.authorization;
    const headers = {
      ...example.headers,
      ...(needsKey || besides.headers !== undefined ? credentials : {}),
      ...(example.body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = () => withBesides(withPrepared(example.body, prepared['person_id']), besides);
    const body = example.body === undefined ? null : JSON.stringify(sent());
    return await fetch(url, { method, headers, body, signal: AbortSignal.timeout(120_000) });
  }

  /** The headers of a person or of a terminal, for endpoints that accept no API key. */
  async #ownHeaders(path: string): Promise<Record<string, string> | null> {
    if (path === '/confirmations') await this.#api.post(`${ROOTS.silo}/devices`, siloNamed('silo-7'));
    if (path === '/confirmations' || path === '/me' || path.startsWith('/me/') || path.endsWith('/assign'))
      return await this.#resources.personHeaders();
    if (path.startsWith('/session/pe')) return await this.#resources.terminalHeaders();
    return null;
  }
}

/** Replaces the person of the examples in a body, because that person has another id here. */
const withPrepared = (body: unknown, person_id: string | undefined): unknown =>
  person_id !== undefined && (body as { person_id?: string }).person_id === EXAMPLE_PERSON_ID
    ? { ...(body as object), person_id }
    : body;
