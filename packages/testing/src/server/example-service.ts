import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Endpoint, Example } from '@granary/contract/endpoints/declaration/endpoint';
import { DEFAULT_ADDRESSES, groupRoots } from '@granary/contract/endpoints/declaration/groups';
import {
  exampleParameter,
  fillPath,
  parameterNames,
} from '@granary/contract/endpoints/declaration/parameters';
import { EXAMPLE_KEY } from '@granary/contract/endpoints/session';
import { checkedTimeMs, TIME_EXAMPLE } from '@granary/contract/time';
import type { Resolve } from '@granary/server/background/webhooks/address-guard';
import { createService, type Started } from '@granary/server/compose';
import { readSettings } from '@granary/server/process/settings';
import { OAuth2Server } from 'oauth2-mock-server';
import { writeBuiltConsole } from './built-console.ts';
import { ExampleResources } from './example-resources.ts';
import { apiOf } from './service.ts';

const ROOTS = groupRoots(DEFAULT_ADDRESSES);

/** The examples are about a certain day, so the clock of the service is set to that day. */
const AHEAD_MS = checkedTimeMs(TIME_EXAMPLE) - Date.now();
const now = (): number => Date.now() + AHEAD_MS;

/** A service with the resources that the declared examples of the endpoints name. */
export class ExampleService {
  #started: Started | undefined;
  readonly #undos: (() => Promise<void>)[] = [];
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
      // Nobody listens there: the examples create rules, and no alert of theirs reaches anybody.
      GRANARY_SMTP_URL: 'smtp://127.0.0.1:9',
      GRANARY_MAIL_FROM: 'granary@example.com',
    };
    const provider = new OAuth2Server();
    await provider.issuer.keys.generate('RS256');
    await provider.start(0, 'localhost');
    this.#undos.push(() => provider.stop());
    const signOn = {
      GRANARY_OIDC_ISSUER: provider.issuer.url ?? '',
      GRANARY_OIDC_CLIENT_ID: 'granary',
      GRANARY_OIDC_CLIENT_SECRET: 'an example of a secret',
    };
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
    const service = createService(settings, { now, webhooks: { resolve }, consoleFolder });
    this.#undos.push(() => service.stop());
    this.#started = await service.start();
    await this.#api.post('/sandbox/plants', { id: 42, name: 'Fern' });
  }

  async stop(): Promise<void> {
    await this.#resources.leave();
    for (const undo of this.#undos.reverse()) await undo();
  }

  /** Prepares what the example is about, and sends it to the service or to a proxy of it. */
  async send(endpoint: Endpoint, example: Example, baseUrl = this.httpUrl): Promise<Response> {
    const { group, method, path, needsKey } = endpoint;
    const isOfPerson = path === '/me' || path.startsWith('/me/');
    const prepared = await this.#resources.prepare(endpoint);
    const parameters = Object.fromEntries(
      parameterNames(path).map((name) => {
        const given = example.parameters[name] ?? '';
        return [name, given === exampleParameter(name, group) ? (prepared[name] ?? given) : given];
      }),
    );
    const query = new URLSearchParams(example.query as Record<string, string>);
    const url = `${baseUrl}${ROOTS[group]}${fillPath(path, parameters)}?${query}`;
    const headers = {
      ...example.headers,
      ...(needsKey && !isOfPerson ? this.#api.authorization : {}),
      ...(isOfPerson ? await this.#resources.personHeaders() : {}),
      ...(example.body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const body = example.body === undefined ? null : JSON.stringify(withPrepared(example.body, prepared));
    return await fetch(url, { method, headers, body, signal: AbortSignal.timeout(120_000) });
  }
}

/** A body names the person of the examples, who is another one here. */
const withPrepared = (body: unknown, { person_id }: { readonly person_id?: string }): unknown =>
  person_id !== undefined &&
  (body as { person_id?: string }).person_id === exampleParameter('person_id', 'api')
    ? { ...(body as object), person_id }
    : body;
