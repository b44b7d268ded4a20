import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSeen } from '@granary/contract/input/seen-text';
import { SEEN_TEXT } from '@granary/contract/input/text-schemas';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {
  type Located,
  type Published,
  type PublishedResponse,
  pointerTo,
  readPublished,
} from './document.ts';

/** The folder for the notes of all processes; `npm test` sets it, and compares the notes with the published document. */
const FOLDER = process.env['GRANARY_TEST_TOUCHED'];
/** An address that a setting has moved, or that never existed, is refused with one of these codes. */
const OF_NO_OPERATION: readonly string[] = ['route_not_found', 'method_not_allowed'];
const ROWS_CHECKED_MAX = 50;
const DOCUMENT = 'openapi.json';

const noted = new Set<string>();

/** Writes one line for each different answer: operation, status and error code, `-` where there is none. */
export function noteTouched(operationId: string | null, status: number, code: string | null): void {
  if (FOLDER === undefined) return;
  const line = `${operationId ?? '-'} ${status} ${code ?? '-'}\n`;
  if (noted.has(line)) return;
  noted.add(line);
  appendFileSync(join(FOLDER, `${process.pid}.txt`), line);
}

export interface ReceivedAnswer {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** `null` for a stream, which is not read here. */
  readonly text: string | null;
}

/** Headers that belong to HTTP itself, to caches, proxies or security; no document describes them one by one. */
const GENERAL_HEADERS =
  /^(date|connection|keep-alive|content-(length|type|encoding)|transfer-encoding|cache-control|vary|x-content-type-options|x-accel-buffering|content-security-policy|referrer-policy)$/;

/** Compares answers with the committed document by a third-party validator, which compiles the parts that it needs. */
export class AnswerCheck {
  readonly #published: Published;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false });

  constructor(published: Published) {
    this.#published = published;
    addFormats.default(this.#ajv);
    this.#ajv.addFormat(SEEN_TEXT, isSeen);
    this.#ajv.addSchema(published.document, DOCUMENT);
  }

  /** Throws when the document does not allow the answer; returns the operation and the error code. */
  check(answer: ReceivedAnswer): { readonly operationId: string | null; readonly code: string | null } {
    const { method, path, status } = answer;
    const [address = ''] = path.split('?', 1);
    const body = isJson(answer) ? parsed(answer.text) : undefined;
    const code = codeOf(body);
    const operation = this.#published.operation(method, address);
    if (operation === undefined || OF_NO_OPERATION.includes(code ?? '')) return { operationId: null, code };
    const request = `${status} of ${method} ${address}`;
    const response = this.#published.response(operation, status);
    assert.ok(response !== undefined, `openapi.json has no answer ${request}: ${answer.text}`);
    this.#checkHeaders(response, answer.headers, request);
    if (method !== 'HEAD') this.#checkBody(response, answer, body, request);
    const codes = response.part['x-error-codes'] ?? [];
    assert.ok(code === null || codes.includes(code), `openapi.json does not list ${code} for the ${request}`);
    return { operationId: operation.part.operationId, code: code ?? this.#codeOfPlant(codes, body) };
  }

  #checkHeaders({ part, pointer }: Located<PublishedResponse>, headers: Headers, request: string): void {
    const declared = part.headers ?? {};
    const names = new Set(Object.keys(declared).map((name) => name.toLowerCase()));
    for (const name of headers.keys()) {
      const isAllowed = names.has(name) || GENERAL_HEADERS.test(name);
      assert.ok(isAllowed, `openapi.json does not have the header ${name} in the ${request}`);
    }
    for (const [name, reference] of Object.entries(declared)) {
      const header = this.#published.resolve(reference, pointerTo(pointer, 'headers', name));
      const text = headers.get(name);
      const { required = false, schema } = header.part;
      assert.ok(text !== null || !required, `the ${request} has no header ${name}`);
      if (text === null) continue;
      const value = 'type' in schema && schema.type === 'integer' ? Number(text) : text;
      this.#validate(pointerTo(header.pointer, 'schema'), value, `${name} in the ${request}`);
    }
  }

  #checkBody(
    { part, pointer }: Located<PublishedResponse>,
    { headers, text }: ReceivedAnswer,
    body: unknown,
    request: string,
  ): void {
    if (part.content === undefined) {
      assert.equal(text, '', `openapi.json has no body in the ${request}`);
      return;
    }
    const type = headers.get('content-type')?.split(';', 1)[0] ?? '';
    const media = part.content[type];
    assert.ok(media !== undefined, `openapi.json does not have the type "${type}" in the ${request}`);
    const schema = pointerTo(pointer, 'content', type, 'schema');
    if (type === 'application/json') this.#validate(schema, body, `body of the ${request}`);
    if (type.endsWith('+json')) this.#validate(schema, parsed(text), `body of the ${request}`);
    if (type !== 'application/x-ndjson' || text === null) return;
    for (const line of text.split('\n').filter(Boolean).slice(0, ROWS_CHECKED_MAX)) {
      this.#validate(pointerTo(schema, 'x-item-schema'), JSON.parse(line), `row of the ${request}`);
    }
  }

  /** Checks the data of one event of the stream at this path. */
  checkEvent(path: string, data: unknown): void {
    const operation = this.#published.operation('GET', path);
    const response = operation && this.#published.response(operation, 200);
    assert.ok(response !== undefined, `openapi.json has no stream at ${path}`);
    const schema = pointerTo(response.pointer, 'content', 'text/event-stream', 'schema', 'x-item-schema');
    this.#validate(schema, data, `event of ${path}`);
  }

  #validate(pointer: string, value: unknown, what: string): void {
    const validate = this.#ajv.getSchema(DOCUMENT + pointer);
    assert.ok(validate !== undefined, `openapi.json has nothing at ${pointer}`);
    if (validate(value) === true) return;
    const faults = this.#ajv.errorsText(validate.errors);
    assert.fail(`the ${what} is not as openapi.json says: ${faults}: ${JSON.stringify(value)}`);
  }

  /** The plant store answers with the status that the code has elsewhere; the first code with this status is its own. */
  #codeOfPlant(codes: readonly string[], body: unknown): string | null {
    const errors = this.#published.document['x-errors'];
    const error = (body as { readonly error?: unknown } | null | undefined)?.error;
    return codes.find((code) => errors[code]?.status === error) ?? null;
  }
}

const isJson = ({ headers, text }: ReceivedAnswer): boolean =>
  text !== null && text !== '' && headers.get('content-type')?.startsWith('application/json') === true;

const parsed = (text: string | null): unknown => JSON.parse(text ?? '');

function codeOf(body: unknown): string | null {
  const error = (body as { readonly error?: { readonly code?: unknown } } | null | undefined)?.error;
  return typeof error?.code === 'string' ? error.code : null;
}

let check: AnswerCheck | undefined;

function checkOfProcess(): AnswerCheck {
  check ??= new AnswerCheck(readPublished());
  return check;
}

/** Throws unless an answer is as the published document says, and notes its operation for the end of the run. */
export function assertPublished(answer: ReceivedAnswer): void {
  const { operationId, code } = checkOfProcess().check(answer);
  noteTouched(operationId, answer.status, code);
}

export const assertPublishedEvent = (path: string, data: unknown): void =>
  checkOfProcess().checkEvent(path, data);
