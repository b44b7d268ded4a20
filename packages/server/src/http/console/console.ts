import { createHash } from 'node:crypto';
import type { App } from '@granary/app/app';
import { within } from '@granary/common/within';
import type { ConsoleSettings } from '@granary/contract/console';
import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../process/logging/logger.ts';
import type { Settings } from '../../process/settings.ts';
import { VERSION } from '../../process/version.ts';
import { preferredType } from '../protocol/accept.ts';
import { sendBytes, success } from '../protocol/answers.ts';
import { isKnown } from '../reference/served-document.ts';
import { register } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';
import { BuiltConsole, type ConsoleFile, type Encoding } from './built-console.ts';
import { EMPTY_DRAWING } from './map-drawing.ts';
import { findMapFile, MapFile, MapFileError, type TilePlace } from './map-file.ts';

const NOT_BUILT_PAGE: ConsoleFile = {
  type: 'text/html',
  encodings: ['identity'],
  body: async () => NOT_BUILT,
  etag: async () => 'W/"not-built"',
};
/** The limit lets the page load while the storage hangs. */
const PEOPLE_MS_MAX = 300;
/** These files may be cached for ever, because their names contain a digest of their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Everything comes from this service; only map tiles may come from the one host that the settings name. */
function contentSecurityPolicy(mapTilesUrl: string | null): string {
  const tiles = mapTilesUrl === null ? '' : ` ${new URL(mapTilesUrl).origin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${tiles}`,
    `connect-src 'self'${tiles}`,
    "worker-src 'self'",
    // This allows the page of a report.
    "frame-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    // A command on the machine of the browser is given a key, and the browser is sent back to it (`granary login --web`).
    "form-action 'self' http://127.0.0.1:*",
    "frame-ancestors 'none'",
  ].join('; ');
}

const NOT_BUILT = Buffer.from(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Granary</title>
<h1>The operators' page is not built</h1>
<p>The service is running. To build the page, run <code>npm run build</code> in its folder, and load this page again.</p>
<p>The <a href="/docs">reference of the API</a> works without it.</p>
</html>
`);

/** The operators' page; its files are public, and it shows nothing to a person who has not signed in. */
export function consoleRoutes(
  routes: FastifyInstance,
  { settings, consoleFolder, reads, logger }: Parts<'settings' | 'reads' | 'consoleFolder' | 'logger'>,
): void {
  const built = new BuiltConsole(consoleFolder);
  const { page, asset, manifest, icon, smallIcon, largeIcon, serviceWorker } = endpoints.console;
  const policy = contentSecurityPolicy(settings.mapTilesUrl);
  const map = openMap(settings, logger);
  const hasPeople = peopleKnown();
  const pageSettings = async (request: FastifyRequest): Promise<ConsoleSettings> => ({
    version: VERSION,
    silo_segment: settings.siloSegment,
    field_segment: settings.fieldSegment,
    map_tiles_url:
      settings.mapTilesUrl ?? (map.file === null ? null : `/map-tiles/${map.file.version}-{z}-{x}-{y}`),
    map_fault: map.fault,
    sign_on_name: signOnNameOf(settings),
    has_people: await hasPeople(reads(request).people),
    device_link: deviceLinkOf(settings),
  });

  register(routes, page, async ({ request, reply }) => {
    // The policy is not `no-referrer`, with which a browser may hide the origin that a change by cookie needs.
    reply.header('content-security-policy', policy).header('referrer-policy', 'same-origin');
    const file = await built.page();
    const sent = file === undefined ? NOT_BUILT_PAGE : withSettings(file, await pageSettings(request));
    return await sendRevalidated(sent, request, reply);
  });

  register(routes, asset, async ({ request, reply }) => {
    const file = await built.file(`/assets/${request.params.asset}`);
    if (file === undefined) throw noSuchFile();
    reply.header('cache-control', FOR_EVER);
    return await send(file, request, reply);
  });

  for (const endpoint of [manifest, icon, smallIcon, largeIcon, serviceWorker]) {
    register<Endpoint<string, undefined, undefined, unknown>>(
      routes,
      endpoint,
      async ({ request, reply }) => {
        const file = await built.file(endpoint.path);
        if (file === undefined) throw noSuchFile();
        return await sendRevalidated(file, request, reply);
      },
    );
  }

  routes.addHook('onClose', async () => map.file?.close());
  register(routes, endpoints.console.mapTile, async ({ request, reply }) => {
    const place = tilePlaceOf(request.params.map_tile, map.file);
    if (map.file === null || place === null) throw new Refusal('route_not_found', 'the map has no such tile');
    const { type, body } = await map.file.tile(place).catch((failure: unknown) => {
      logger.warn({ err: failure, ...place }, 'a tile of the map cannot be read');
      return EMPTY_DRAWING;
    });
    reply.header('cache-control', FOR_EVER).type(type);
    return sendBytes(reply, body);
  });

  register(routes, endpoints.console.settings, async ({ request }) => success(await pageSettings(request)));
}

/** People are never removed, so nothing is read after the first one was found. */
function peopleKnown(): (people: Pick<App['people'], 'list'>) => Promise<boolean> {
  let isKnown = false;
  return async (people) => {
    if (isKnown) return true;
    const found = await within(PEOPLE_MS_MAX, people.list({ afterKeyId: null, limit: 1 })).catch(() => []);
    isKnown = Array.isArray(found) && found.length > 0;
    return isKnown;
  };
}

interface OpenedMap {
  readonly file: MapFile | null;
  readonly fault: ConsoleSettings['map_fault'];
}

/** The service runs without a map that it cannot use, and the page says why. */
function openMap({ dataDir, mapTilesUrl }: Settings, logger: Pick<Logger, 'info' | 'warn'>): OpenedMap {
  const path = mapTilesUrl === null ? findMapFile(dataDir) : null;
  if (path === null) return { file: null, fault: null };
  try {
    const file = MapFile.open(path);
    logger.info({ path }, 'the field map shows the map of this file');
    return { file, fault: null };
  } catch (failure) {
    if (!(failure instanceof MapFileError)) throw failure;
    logger.warn({ path, err: failure }, failure.message);
    return { file: null, fault: failure.fault };
  }
}

const TILE = /^([0-9a-f]{12})-(\d{1,2})-(\d{1,8})-(\d{1,8})$/;
const TILE_LEVEL_MAX = 24;

/** `null` for a place that is not on the map, or is one of another map. */
function tilePlaceOf(text: string, file: MapFile | null): TilePlace | null {
  const [, version, ...numbers] = TILE.exec(text) ?? [];
  const [z = Number.NaN, x = 0, y = 0] = numbers.map(Number);
  const isThere = version === file?.version && z <= TILE_LEVEL_MAX && x < 2 ** z && y < 2 ** z;
  return isThere ? { z, x, y } : null;
}

/** Adds the settings to the page, so that it need not ask for them. For the security policy of the page a data block is not a script. */
function withSettings(page: ConsoleFile, settings: ConsoleSettings): ConsoleFile {
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  const written = Buffer.from(`<script type="application/json" id="settings">${json}</script>\n`);
  const digest = createHash('sha256').update(written).digest('base64url').slice(0, 16);
  return {
    type: page.type,
    encodings: ['identity'],
    body: async () => Buffer.concat([await page.body('identity'), written]),
    etag: async () => (await page.etag()).replace(/"$/, `-${digest}"`),
  };
}

const signOnNameOf = ({ oidcIssuer, oidcName }: Settings): string | null =>
  oidcIssuer === null ? null : (oidcName ?? new URL(oidcIssuer).host);

/** The port without encryption is preferred, because a first try with it needs no certificate. */
function deviceLinkOf({
  broker,
  mqttPort,
  mqttsPort,
  tlsCert,
  publicUrl,
}: Settings): ConsoleSettings['device_link'] {
  if (broker !== null) return { host: broker.host, port: broker.port, is_encrypted: broker.isSecure };
  const host = publicUrl === null ? null : new URL(publicUrl).hostname;
  // Zero asks the system for any free port.
  if (mqttPort !== null) return mqttPort === 0 ? null : { host, port: mqttPort, is_encrypted: false };
  const isOffered = mqttsPort !== null && mqttsPort !== 0 && tlsCert !== null;
  return isOffered ? { host, port: mqttsPort, is_encrypted: true } : null;
}

const noSuchFile = (): Refusal => new Refusal('route_not_found', 'the page has no such file');

/** The reader keeps the file, and asks each time whether it is still the newest one. */
async function sendRevalidated(
  file: ConsoleFile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const etag = await file.etag();
  reply.headers({ etag, 'cache-control': 'no-cache' });
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return await send(file, request, reply);
}

async function send(
  file: ConsoleFile,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const encoding = encodingFor(file, headers['accept-encoding']?.toString());
  const body = await file.body(encoding);
  reply.header('vary', 'accept-encoding').type(withCharset(file.type));
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return sendBytes(reply, body);
}

/** The smallest copy that the reader accepts. */
const encodingFor = ({ encodings }: ConsoleFile, accepted: string | undefined): Encoding =>
  (['br', 'gzip'] as const).find(
    (one) => encodings.includes(one) && preferredType(accepted, ['identity', one]) === one,
  ) ?? 'identity';

const withCharset = (type: string): string =>
  type.startsWith('text/') || type.endsWith('json') ? `${type}; charset=utf-8` : type;
