import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { AsyncApiOptions } from '@granary/contract/reference/asyncapi';
import type { FastifyInstance } from 'fastify';
import folderOfSwaggerUi from 'swagger-ui-dist/absolute-path.js';
import type { Settings } from '../../process/settings.ts';
import { VERSION } from '../../process/version.ts';
import { register } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';
import type { ReferenceJob } from './reference-thread.ts';
import { madeOnce, sendDocument, servedDocument } from './served-document.ts';

/** Scripts, styles and requests of the page are limited to this service. Swagger UI draws its symbols from `data:` images. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const OWN_FILES = new URL('./page/', import.meta.url);

/** Descriptions of the interface; they name nothing of this service but its addresses, so they need no key. */
export function referenceRoutes(routes: FastifyInstance, { settings }: Parts<'settings'>): void {
  const { siloSegment, fieldSegment, sandboxPath, publicUrl } = settings;
  const addresses = { siloSegment, fieldSegment, sandboxPath };
  const made = (job: ReferenceJob) =>
    madeOnce(async () => await servedDocument('application/json', await madeInThread(job)));
  const openApi = made({ openApi: { version: VERSION, addresses, serverUrl: publicUrl ?? '/' } });
  const asyncApi = made({ asyncApi: { version: VERSION, ...linkPlaceOf(settings) } });
  const page = madeOnce(async () => await servedDocument('text/html', await pageText()));
  const script = madeOnce(async () => await servedDocument('text/javascript', await pageScript()));
  const style = madeOnce(async () => await servedDocument('text/css', await pageStyle()));

  register(routes, endpoints.reference.openapi, async ({ request, reply }) =>
    sendDocument(await openApi(), request, reply),
  );
  register(routes, endpoints.reference.asyncapi, async ({ request, reply }) =>
    sendDocument(await asyncApi(), request, reply),
  );
  register(routes, endpoints.reference.page, async ({ request, reply }) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY).header('referrer-policy', 'no-referrer');
    return sendDocument(await page(), request, reply);
  });
  register(routes, endpoints.reference.script, async ({ request, reply }) =>
    sendDocument(await script(), request, reply),
  );
  register(routes, endpoints.reference.style, async ({ request, reply }) =>
    sendDocument(await style(), request, reply),
  );
}

/** Makes a document in a thread of its own, because that takes some hundred milliseconds, for which a stop would wait. */
async function madeInThread(workerData: ReferenceJob): Promise<string> {
  const thread = new Worker(new URL('./reference-thread.ts', import.meta.url), { workerData });
  try {
    const [json] = (await once(thread, 'message')) as [string];
    return json;
  } finally {
    await thread.terminate();
  }
}

function linkPlaceOf(settings: Settings): Pick<AsyncApiOptions, 'host' | 'ports'> {
  const { publicUrl, mqttPort, mqttsPort, httpPort, httpsPort, tlsCert, broker } = settings;
  if (broker !== null) {
    const { host, port, isSecure } = broker;
    return {
      host,
      ports: { mqtt: isSecure ? null : port, mqtts: isSecure ? port : null, ws: null, wss: null },
    };
  }
  const withTls = (port: number | null): number | null => (tlsCert === null ? null : port);
  return {
    // The settings have the addresses on which the service listens, which are often not those that devices use.
    host: publicUrl === null ? '127.0.0.1' : new URL(publicUrl).hostname,
    ports: { mqtt: mqttPort, mqtts: withTls(mqttsPort), ws: httpPort, wss: withTls(httpsPort) },
  };
}

const own = (name: string): Promise<string> => readFile(new URL(name, OWN_FILES), 'utf8');

const ofSwaggerUi = (name: string): Promise<string> => readFile(join(folderOfSwaggerUi(), name), 'utf8');

const pageText = (): Promise<string> => own('page.html');

/** The script and the styles are one file each, so that the page needs few requests. */
const pageScript = (): Promise<string> => joined(ofSwaggerUi('swagger-ui-bundle.js'), own('page.js'));

const pageStyle = (): Promise<string> => joined(ofSwaggerUi('swagger-ui.css'), own('page.css'));

const joined = async (...texts: Promise<string>[]): Promise<string> => (await Promise.all(texts)).join('\n');
