import { Type } from 'typebox';
import { plain } from './declaration/answers.ts';
import { endpoint } from './declaration/endpoint.ts';

/** What every OpenAPI document has; the rest is described by its own specification. */
const OpenApiDocument = Type.Object({
  openapi: Type.String(),
  info: Type.Object({ title: Type.String(), version: Type.String() }),
  paths: Type.Record(Type.String(), Type.Unknown()),
});

/** Descriptions of this interface for programs. */
export const reference = {
  openapi: endpoint('service', 'GET', '/openapi.json', {
    summary:
      'Shows this document, with the addresses that the settings of the service give to its endpoints.',
    requestHeaders: ['if-none-match'],
    answers: { 200: plain(OpenApiDocument, { headers: ['etag'] }) },
    examples: [{ summary: 'the OpenAPI document' }],
  }),
};
