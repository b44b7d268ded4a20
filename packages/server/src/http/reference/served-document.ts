import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { preferredType } from '../protocol/accept.ts';
import { sendBytes } from '../protocol/answers.ts';

/** A document that stays the same while the service runs. */
export interface ServedDocument {
  readonly type: string;
  readonly bytes: Buffer;
  readonly compressed: Buffer;
  /** The tag is weak, because the compressed document has the same one. */
  readonly etag: string;
}

/** The document is compressed outside the event loop, because a large one would delay a stop. */
export async function servedDocument(type: string, text: string): Promise<ServedDocument> {
  const bytes = Buffer.from(text);
  const digest = createHash('sha256').update(bytes).digest('base64url');
  return { type, bytes, compressed: await promisify(gzip)(bytes), etag: `W/"${digest}"` };
}

/** Makes the document at the first request, because most processes are never asked for it. After a failure the next request tries again. */
export function madeOnce(make: () => Promise<ServedDocument>): () => Promise<ServedDocument> {
  let made: Promise<ServedDocument> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

export function sendDocument(
  { type, bytes, compressed, etag }: ServedDocument,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  // The reader keeps the document, and asks each time whether it is still the newest one.
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
  if (isKnown(headers['if-none-match'], etag)) return reply.code(304).send();
  reply.type(`${type}; charset=utf-8`);
  const encoding = preferredType(headers['accept-encoding']?.toString(), ['identity', 'gzip']);
  if (encoding === 'identity') return sendBytes(reply, bytes);
  return sendBytes(reply.header('content-encoding', 'gzip'), compressed);
}

/** Whether the reader has this version. */
export const isKnown = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((one) => [etag, etag.slice('W/'.length), '*'].includes(one.trim())) === true;
