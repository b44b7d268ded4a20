import { type TSchema, Type } from 'typebox';
import { CONSOLE_FILE_TYPES, ConsoleSettings } from '../console.ts';
import { one, plain } from './declaration/answers.ts';
import { endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  map_tile: {
    schema: Type.String(),
    description: 'the version of the map, the level, the column and the row of the tile',
    notFound: 'route_not_found',
    example: '0123456789ab-14-8937-5680',
  },
  asset: {
    schema: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,200}$' }),
    description: 'the name of a file, which contains a digest of its content',
    notFound: 'route_not_found',
    example: 'index-Bk2f8QxT.js',
  },
});

const { html, js, svg, png, webmanifest, ...others } = CONSOLE_FILE_TYPES;

const file = <T extends TSchema>(mediaType: string, body: T) => ({
  ...plain(body, { headers: ['etag'] }),
  mediaType,
});

/** The page is missing if the settings switch it off or if it is not built. */
const errors = ['route_not_found'] as const;

const fileOfPage = <const Path extends string, T extends TSchema>(
  path: Path,
  mediaType: string,
  summary: string,
  body: T,
) =>
  endpoint('service', 'GET', path, {
    summary,
    errors,
    requestHeaders: ['if-none-match'],
    answers: { 200: file(mediaType, body) },
    examples: [{ summary: 'the file' }],
  });

/** The operators' page and its files. */
const endpoints = {
  page: fileOfPage('/', html, "Shows the operators' page.", Type.String()),
  asset: endpoint('service', 'GET', '/assets/{asset}', {
    summary: 'Answers a script, a style or an image of that page; what has a name never changes.',
    answers: {
      200: { ...plain(Type.String(), { alternatives: [...Object.values(others), svg, png] }), mediaType: js },
    },
    errors,
    examples: [{ summary: 'a script' }],
  }),
  manifest: fileOfPage(
    '/manifest.webmanifest',
    webmanifest,
    'Answers how that page is installed on a phone.',
    Type.Record(Type.String(), Type.Unknown()),
  ),
  icon: fileOfPage('/icon.svg', svg, 'Answers the sign of that page.', Type.String()),
  smallIcon: fileOfPage(
    '/icon-192.png',
    png,
    'Answers the sign of that page with 192 pixels.',
    Type.String(),
  ),
  largeIcon: fileOfPage(
    '/icon-512.png',
    png,
    'Answers the sign of that page with 512 pixels.',
    Type.String(),
  ),
  serviceWorker: fileOfPage(
    '/service-worker.js',
    js,
    'Answers the script with which that page opens without a network and receives Web Push.',
    Type.String(),
  ),
  mapTile: endpoint('service', 'GET', '/map-tiles/{map_tile}', {
    summary: 'Answers a tile of the map in the data folder; `map_tiles_url` of the settings has its address.',
    answers: {
      200: {
        ...plain(Type.String(), { alternatives: [png, 'image/jpeg', 'image/webp', 'image/avif'] }),
        mediaType: svg,
      },
    },
    errors,
    examples: [{ summary: 'a tile where there is no map', refusal: 'route_not_found' }],
  }),
  settings: endpoint('service', 'GET', '/console.json', {
    summary: 'Shows what that page must know about the service.',
    answers: { 200: one(ConsoleSettings) },
    errors,
    examples: [{ summary: 'the settings' }],
  }),
};

export const console = {
  description: "The operators' page, at `/`.",
  endpoints,
} satisfies Slice;
