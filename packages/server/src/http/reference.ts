import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { openApiDocument } from '@granary/contract/reference/openapi';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../settings.ts';
import { VERSION } from '../version.ts';
import { preferredType } from './protocol/accept.ts';
import { register } from './register.ts';

/** A document that stays the same while the service runs. */
interface ServedDocument {
  readonly text: string;
  readonly compressed: Buffer;
  /** Weak, because the compressed document has the same one. */
  readonly etag: string;
}

function servedDocument(document: object): ServedDocument {
  const text = JSON.stringify(document);
  const digest = createHash('sha256').update(text).digest('base64url');
  return { text, compressed: gzipSync(text), etag: `W/"${digest}"` };
}

/** Descriptions of the interface; they name nothing of this service but its addresses, so they need no key. */
export function referenceRoutes(routes: FastifyInstance, settings: Settings): void {
  let openApi: ServedDocument | undefined;

  register(routes, endpoints.reference.openapi, async (request, reply) => {
    // Made at the first request, because most processes are never asked for it.
    openApi ??= servedDocument(
      openApiDocument({ version: VERSION, addresses: settings, serverUrl: settings.publicUrl ?? '/' }),
    );
    return send(openApi, request, reply);
  });
}

function send({ text, compressed, etag }: ServedDocument, { headers }: FastifyRequest, reply: FastifyReply) {
  // Kept by the reader, who asks each time whether it is still the newest one.
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
  if (isKnown(headers['if-none-match'], etag)) return reply.code(304).send();
  reply.type('application/json; charset=utf-8');
  const encoding = preferredType(headers['accept-encoding']?.toString(), ['identity', 'gzip']);
  if (encoding === 'identity') return reply.send(text);
  return reply.header('content-encoding', 'gzip').send(compressed);
}

const isKnown = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((one) => [etag, etag.slice('W/'.length), '*'].includes(one.trim())) === true;
