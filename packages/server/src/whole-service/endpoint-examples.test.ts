import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Endpoint, Example } from '@granary/contract/endpoints/declaration/endpoint';
import { ALL_ENDPOINTS } from '@granary/contract/endpoints/endpoints';
import { STATUS_OF } from '@granary/contract/errors';
import { ExampleService } from '@granary/testing/server/example-service';
import { assertPublished } from '@granary/testing/server/published/answer-check';

describe('every endpoint, called with its examples', () => {
  const service = new ExampleService();

  before(() => service.start());
  after(() => service.stop());

  async function send(endpoint: Endpoint, example: Example): Promise<Response> {
    const response = await service.send(endpoint, example);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const text = isStream ? null : await response.clone().text();
    const { status, headers, url } = response;
    assertPublished({ method: endpoint.method, path: new URL(url).pathname, status, headers, text });
    return response;
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

/** The tag is a version, or the digest of a document; the digest of its settings may follow. */
const ETAG = /^("\d+"|W\/"[\w-]{43,64}")$/;

async function assertAnswer(endpoint: Endpoint, response: Response): Promise<void> {
  const { mediaType, check, headers, envelope } = endpoint.answers[200];
  if (envelope === 'rows') return await assertRows(endpoint, response);
  if (mediaType === 'text/event-stream') await response.body?.cancel();
  const text = mediaType === 'text/event-stream' ? '' : await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get('content-type')?.split(';', 1)[0], mediaType);
  const body = /[/+]json$/.test(mediaType) && text !== '' ? JSON.parse(text) : text;
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
