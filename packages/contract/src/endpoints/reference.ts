import { Type } from 'typebox';
import { plain } from './declaration/answers.ts';
import { endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

/** The fields that every OpenAPI document has; its own specification describes the others. */
const OpenApiDocument = Type.Object({
  openapi: Type.String(),
  info: Type.Object({ title: Type.String(), version: Type.String() }),
  paths: Type.Record(Type.String(), Type.Unknown()),
});

const AsyncApiDocument = Type.Object({
  asyncapi: Type.String(),
  info: Type.Object({ title: Type.String(), version: Type.String() }),
  channels: Type.Record(Type.String(), Type.Unknown()),
});

const textOf = (mediaType: string) => ({ ...plain(Type.String(), { headers: ['etag'] }), mediaType });

/** Descriptions of this interface, for programs and for people. */
const endpoints = {
  openapi: endpoint('service', 'GET', '/openapi.json', {
    summary:
      'Shows this document, with the addresses that the settings of the service give to its endpoints.',
    requestHeaders: ['if-none-match'],
    answers: { 200: plain(OpenApiDocument, { headers: ['etag'] }) },
    examples: [{ summary: 'the OpenAPI document' }],
  }),
  asyncapi: endpoint('service', 'GET', '/asyncapi.json', {
    summary: 'Shows the messages of the device link as an AsyncAPI document, with the ports of the settings.',
    requestHeaders: ['if-none-match'],
    answers: { 200: plain(AsyncApiDocument, { headers: ['etag'] }) },
    examples: [{ summary: 'the AsyncAPI document' }],
  }),
  page: endpoint('service', 'GET', '/docs', {
    summary: 'Shows this document as a page in which requests can be tried.',
    requestHeaders: ['if-none-match'],
    answers: { 200: textOf('text/html') },
    examples: [{ summary: 'the page' }],
  }),
  script: endpoint('service', 'GET', '/docs/script.js', {
    summary: 'Answers the script of that page.',
    requestHeaders: ['if-none-match'],
    answers: { 200: textOf('text/javascript') },
    examples: [{ summary: 'the script' }],
  }),
  style: endpoint('service', 'GET', '/docs/style.css', {
    summary: 'Answers the styles of that page.',
    requestHeaders: ['if-none-match'],
    answers: { 200: textOf('text/css') },
    examples: [{ summary: 'the styles' }],
  }),
};

export const reference = {
  description: 'Descriptions of this interface, for programs and for people.',
  endpoints,
} satisfies Slice;
