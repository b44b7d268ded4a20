import { readFileSync } from 'node:fs';

interface Header {
  readonly required?: boolean;
  readonly schema: object;
}

interface MediaType {
  readonly schema: { readonly 'x-item-schema'?: object };
}

export interface PublishedResponse {
  readonly headers?: Readonly<Record<string, Reference | Header>>;
  readonly content?: Readonly<Record<string, MediaType>>;
  readonly 'x-error-codes'?: readonly string[];
}

interface Reference {
  readonly $ref: string;
}

interface PublishedParameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly example?: unknown;
}

interface PublishedBody {
  readonly content: Readonly<
    Record<string, { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>
  >;
}

interface PublishedOperation {
  readonly operationId: string;
  /** Each way to authenticate, with the scopes that it needs; empty if no authentication is needed. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly PublishedParameter[];
  readonly requestBody?: PublishedBody;
  readonly responses: Readonly<Record<string, Reference | PublishedResponse>>;
}

export interface PublishedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PublishedOperation>>>>;
  readonly 'x-errors': Readonly<Record<string, { readonly status: number }>>;
}

/** A part of the document, and its place as a JSON pointer. */
export interface Located<Part> {
  readonly part: Part;
  readonly pointer: string;
}

export interface AddressedOperation extends Located<PublishedOperation> {
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
  readonly isFixed: boolean;
}

const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

export const pointerTo = (pointer: string, ...names: readonly string[]): string =>
  [pointer, ...names.map(pointerPart)].join('/');

/** The committed OpenAPI document, as a reader sees it who does not know our sources. */
export class Published {
  readonly document: PublishedDocument;
  readonly operations: readonly AddressedOperation[];

  constructor(document: PublishedDocument) {
    this.document = document;
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, part]) => ({
        part,
        path,
        method: method.toUpperCase(),
        pointer: pointerTo('#', 'paths', path, method),
        isFixed: !path.includes('{'),
        pattern: new RegExp(`^${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      })),
    );
  }

  /** Finds the operation; a path without parameters takes precedence, as OpenAPI says. */
  operation(method: string, address: string): Located<PublishedOperation> | undefined {
    const request = `${method === 'HEAD' ? 'GET' : method} ${address}`;
    const found = this.operations.filter(({ pattern }) => pattern.test(request));
    return found.find(({ isFixed }) => isFixed) ?? found[0];
  }

  response(operation: Located<PublishedOperation>, status: number): Located<PublishedResponse> | undefined {
    const part = operation.part.responses[status];
    if (part === undefined) return undefined;
    return this.resolve(part, pointerTo(operation.pointer, 'responses', String(status)));
  }

  resolve<Part extends object>(part: Part | Reference, pointer: string): Located<Part> {
    if (!('$ref' in part)) return { part, pointer };
    const names = part.$ref.slice('#/'.length).split('/');
    const found = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], this.document);
    return { part: found as Part, pointer: part.$ref };
  }
}

const FILE = new URL('../../../../../docs/openapi.json', import.meta.url);

export const readPublished = (): Published => new Published(JSON.parse(readFileSync(FILE, 'utf8')));
