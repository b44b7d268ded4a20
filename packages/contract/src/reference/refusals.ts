import { ErrorAnswer } from '../endpoints/declaration/answers.ts';
import type { Endpoint } from '../endpoints/declaration/endpoint.ts';
import type { GroupName } from '../endpoints/declaration/groups.ts';
import { PlantError, plantErrorStatus } from '../endpoints/plants.ts';
import { ERROR_TEXTS } from '../error-texts.ts';
import { type ErrorCode, STATUS_OF } from '../errors.ts';
import type { ComponentSchemas } from './component-schemas.ts';
import { type AnswerHeader, headerReferences, RATE_HEADERS } from './headers.ts';
import { type JsonObject, sortedByName } from './json.ts';

/** Found before it is known what the address belongs to, so they have the same status and body everywhere. */
const FOUND_BEFORE_ROUTE: readonly ErrorCode[] = [
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
];

function statusIn({ group }: Endpoint, code: ErrorCode): number {
  const status = STATUS_OF[code];
  return group === 'sandbox' && !FOUND_BEFORE_ROUTE.includes(code) ? plantErrorStatus(status) : status;
}

/** The groups whose refusals differ from those of the others in their headers or their body. */
const KINDS: Partial<Record<GroupName, string>> = { sandbox: 'plants.', service: 'open.' };

function exampleOf(code: ErrorCode): JsonObject {
  const { means, cure } = ERROR_TEXTS[code];
  return { summary: cure, value: { success: false, error: { code, message: means, request_id: 'req_1' } } };
}

const RESPONSES = '#/components/responses/';

/** Collects the refusals of all endpoints, many of which have the same. */
export class ComponentRefusals {
  readonly #schemas: ComponentSchemas;
  readonly #responses = new Map<string, JsonObject>();
  readonly #examples = new Map<ErrorCode, JsonObject>();

  constructor(schemas: ComponentSchemas) {
    this.#schemas = schemas;
  }

  get responses(): JsonObject {
    return sortedByName(this.#responses);
  }

  /** One for each error code that a response has. */
  get examples(): JsonObject {
    return sortedByName(this.#examples);
  }

  /** A reference for each status that the endpoint can be refused with. */
  of(endpoint: Endpoint): ReadonlyMap<string, JsonObject> {
    const byStatus = Map.groupBy(endpoint.errors, (code) => statusIn(endpoint, code));
    return new Map(
      Array.from(byStatus, ([status, codes]) => [String(status), this.#use(endpoint, status, codes)]),
    );
  }

  #use({ group, errors }: Endpoint, status: number, codes: readonly ErrorCode[]): JsonObject {
    const isBeforeRoute = codes.every((code) => FOUND_BEFORE_ROUTE.includes(code));
    const kind = isBeforeRoute ? '' : (KINDS[group] ?? '');
    const name = `${kind}${status}.${codes.join('.')}`;
    if (!this.#responses.has(name)) {
      this.#responses.set(name, {
        description: codes.map((code) => `\`${code}\`: ${ERROR_TEXTS[code].means}`).join('\n\n'),
        headers: headerReferences(headersOf(errors.includes('unauthorized') && !isBeforeRoute, status)),
        content: { 'application/json': this.#contentOf(group === 'sandbox' && !isBeforeRoute, codes) },
        'x-error-codes': codes,
      });
    }
    return { $ref: `${RESPONSES}${name}` };
  }

  #contentOf(isOfPlantStore: boolean, codes: readonly ErrorCode[]): JsonObject {
    if (isOfPlantStore) return { schema: this.#schemas.use(PlantError, 'answer') };
    for (const code of codes) this.#examples.set(code, exampleOf(code));
    return {
      schema: this.#schemas.use(ErrorAnswer, 'answer'),
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    };
  }
}

const headersOf = (hasKey: boolean, status: number): readonly AnswerHeader[] => [
  'X-Request-Id',
  ...(hasKey && status !== 401 ? RATE_HEADERS : []),
  ...(status === 409 ? (['Idempotency-Replayed'] as const) : []),
  ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
  ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
];
