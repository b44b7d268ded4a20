import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Endpoint, Example } from '@granary/contract/endpoints/declaration/endpoint';
import { DEFAULT_ADDRESSES, groupRoots, needsKey } from '@granary/contract/endpoints/declaration/groups';
import {
  exampleParameter,
  fillPath,
  parameterNames,
} from '@granary/contract/endpoints/declaration/parameters';
import { ALL_ENDPOINTS } from '@granary/contract/endpoints/endpoints';
import { STATUS_OF } from '@granary/contract/errors';
import { checkedTimeMs, TIME_EXAMPLE } from '@granary/contract/time';
import { createService, type Started } from '../compose.ts';
import { readSettings } from '../settings.ts';
import { ExampleResources } from '../testing/example-resources.ts';
import { apiOf } from '../testing/service.ts';
import type { Resolve } from '../webhooks/address-guard.ts';

const ROOTS = groupRoots(DEFAULT_ADDRESSES);

/** The examples are about a certain day, so the clock of the service is set to that day. */
const AHEAD_MS = checkedTimeMs(TIME_EXAMPLE) - Date.now();
const now = (): number => Date.now() + AHEAD_MS;

describe('every endpoint, called with its examples', () => {
  let started: Started | undefined;
  const undos: (() => Promise<void>)[] = [];
  const current = (): Started => {
    if (started === undefined) throw new Error('the service has not started');
    return started;
  };
  const api = apiOf(current, () => current().adminKey.key);
  const resources = new ExampleResources(api, now);

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'granary-test-'));
    undos.push(() => rm(dataDir, { recursive: true, force: true }));
    const env = {
      ...{ GRANARY_HTTP_PORT: '0', GRANARY_MQTT_PORT: '0', GRANARY_RATE_LIMIT: 'off' },
      // Nobody listens there: the examples create rules, and no alert of theirs reaches anybody.
      ...{ GRANARY_SMTP_URL: 'smtp://127.0.0.1:9', GRANARY_MAIL_FROM: 'granary@example.com' },
    };
    const settings = readSettings({ ...env, GRANARY_LOG_LEVEL: 'silent', GRANARY_DATA_DIR: dataDir });
    // The names of receivers resolve to an address that is refused, so that nothing leaves this machine.
    const resolve: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const service = createService(settings, { now, webhooks: { resolve } });
    undos.push(() => service.stop());
    started = await service.start();
    await api.post('/sandbox/plants', { id: 42, name: 'Fern' });
  });

  after(async () => {
    await resources.leave();
    for (const undo of undos.reverse()) await undo();
  });

  async function send(endpoint: Endpoint, example: Example): Promise<Response> {
    const { group, method, path } = endpoint;
    const prepared = await resources.prepare(endpoint);
    const parameters = Object.fromEntries(
      parameterNames(path).map((name) => {
        const given = example.parameters[name] ?? '';
        return [name, given === exampleParameter(name, group) ? (prepared[name] ?? given) : given];
      }),
    );
    const query = new URLSearchParams(example.query as Record<string, string>);
    const url = `${current().httpUrl}${ROOTS[group]}${fillPath(path, parameters)}?${query}`;
    const headers = {
      ...example.headers,
      ...(needsKey(group) ? api.authorization : {}),
      ...(example.body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const body = example.body === undefined ? null : JSON.stringify(example.body);
    return await fetch(url, { method, headers, body, signal: AbortSignal.timeout(30_000) });
  }

  for (const { name, endpoint } of ALL_ENDPOINTS) {
    for (const example of endpoint.examples) {
      test(`${name}: ${example.summary}`, async () => {
        const response = await send(endpoint, example);
        await (example.refusal === undefined
          ? assertAnswer(endpoint, response)
          : assertRefusal(endpoint, example, response));
      });
    }

    const [usual] = endpoint.examples;
    assert.ok(usual !== undefined, `${name} has no example`);
    if (endpoint.query !== null) {
      test(`${name} refuses a query parameter that it does not know`, async () => {
        const query = { ...(usual.query as object), unknown_name: '1' };
        await assertRefusal(
          endpoint,
          { ...usual, query, refusal: 'invalid_input' },
          await send(endpoint, { ...usual, query }),
        );
      });
    }
    if (endpoint.body !== null) {
      test(`${name} refuses a field that it does not know`, async () => {
        const body = { ...(usual.body as object), unknown_name: 1 };
        await assertRefusal(
          endpoint,
          { ...usual, refusal: 'invalid_input' },
          await send(endpoint, { ...usual, body }),
        );
      });
    }
  }
});

/** A version, or the digest of a document. */
const ETAG = /^("\d+"|W\/"[\w-]{43}")$/;

async function assertAnswer(endpoint: Endpoint, response: Response): Promise<void> {
  const { mediaType, check, headers, envelope } = endpoint.answers[200];
  if (envelope === 'rows') return await assertRows(endpoint, response);
  if (mediaType === 'text/event-stream') await response.body?.cancel();
  const text = mediaType === 'text/event-stream' ? '' : await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get('content-type')?.split(';', 1)[0], mediaType);
  const body = mediaType === 'application/json' && text !== '' ? JSON.parse(text) : text;
  if (text !== '') assert.deepEqual(check.faults(body), []);
  if (headers.includes('etag')) assert.match(response.headers.get('etag') ?? '', ETAG);
}

/** The columns of CSV are the fields of the row, and each line of the alternative is such a row. */
async function assertRows({ answers }: Endpoint, response: Response): Promise<void> {
  const { mediaType, alternatives, check } = answers[200];
  const lines = (await response.text()).split(/\r?\n/).slice(0, -1);
  assert.equal(response.status, 200);
  const type = response.headers.get('content-type')?.split(';', 1)[0];
  if (type === mediaType) {
    const { required } = check.schema as { readonly required?: string[] };
    assert.deepEqual(lines[0]?.split(','), required);
    return;
  }
  assert.ok(alternatives.includes(type ?? ''));
  for (const line of lines) assert.deepEqual(check.faults(JSON.parse(line)), []);
}

async function assertRefusal(
  { group }: Endpoint,
  { refusal = 'internal_error' }: Example,
  response: Response,
): Promise<void> {
  const { error } = (await response.json()) as { error: unknown };
  if (group === 'sandbox') {
    assert.deepEqual([response.status, error], [400, STATUS_OF[refusal]]);
    return;
  }
  assert.equal((error as { code: string }).code, refusal, JSON.stringify(error));
  assert.equal(response.status, STATUS_OF[refusal]);
}
