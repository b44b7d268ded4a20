import { isUtf8 } from 'node:buffer';
import { Refusal } from '@granary/contract/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { nextPart } from '../access/request-turns.ts';

/** A longer body is read when it is the turn of its caller. */
const READ_AT_ONCE_BYTES_MAX = 16 * 1024;

/**
 * Accepts only JSON in UTF-8; `read` turns the text into the body that routes get. Many clients send the header for JSON with every
 * request, so an empty body counts as no body where none is needed: a mission must not go on because its cancellation has this header.
 */
export function acceptJsonBodies(app: FastifyInstance, read: (text: string) => unknown): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0 && !needsBody(request)) return done(null, undefined);
    const readNow = (): unknown => read(textOf(request, bytes));
    // No stop has such a long body, and reading many long bodies at once would delay a stop.
    if (bytes.length > READ_AT_ONCE_BYTES_MAX) {
      const readInTurns = async (): Promise<unknown> => {
        await nextPart(request);
        const body = readNow();
        // The check of the body follows, which takes as long again.
        await nextPart(request);
        return body;
      };
      readInTurns().then((body) => done(null, body), done);
      return;
    }
    let body: unknown;
    try {
      body = readNow();
    } catch (error) {
      return done(error as Error);
    }
    done(null, body);
  });
}

/** Accepts a further media type in UTF-8 on some routes. */
export function acceptAlso(
  routes: FastifyInstance,
  mediaType: string,
  read: (text: string, request: FastifyRequest) => Promise<unknown>,
): void {
  routes.addContentTypeParser<Buffer>(
    mediaType,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => read(textOf(request, bytes), request),
  );
}

function needsBody({ routeOptions }: FastifyRequest): boolean {
  const body = routeOptions.config.endpoint?.body ?? null;
  return body !== null && !body.isOptional;
}

function textOf({ headers }: FastifyRequest, bytes: Buffer): string {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') {
    throw new Refusal('unsupported_media_type', 'send the body without a Content-Encoding');
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset)) {
    throw new Refusal('unsupported_media_type', 'send application/json in UTF-8');
  }
  if (bytes.length === 0) throw new Refusal('malformed_json', 'the body is empty');
  if (!isUtf8(bytes)) throw new Refusal('malformed_json', 'the body is not UTF-8');
  return bytes.toString();
}
