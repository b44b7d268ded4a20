import { type Static, Type } from 'typebox';
import { closed, described } from './input/schema.ts';

/** The kinds of files of which the operators' page consists, by the ends of their names. */
export const CONSOLE_FILE_TYPES = {
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  html: 'text/html',
  webmanifest: 'application/manifest+json',
} as const;

/** What the operators' page must know before anybody has signed in; it has no secrets. */
export const ConsoleSettings = closed({
  version: described('The version of the service.', Type.String()),
  silo_segment: described('The path segment of the silo group.', Type.String()),
  field_segment: described('The path segment of the field group.', Type.String()),
  map_tiles_url: described(
    'The address of map tiles with `{z}`, `{x}` and `{y}`; null where the map has its metre grid only.',
    Type.Union([Type.String(), Type.Null()]),
  ),
  sign_on_name: described(
    'What people call the identity provider with which they can sign in; null where there is none.',
    Type.Union([Type.String(), Type.Null()]),
  ),
  device_link: described(
    'Where devices connect by MQTT; null where the service does not know it.',
    Type.Union([
      closed({
        host: described('Null where it is the host of the page.', Type.Union([Type.String(), Type.Null()])),
        port: Type.Integer({ minimum: 1, maximum: 65_535 }),
        is_encrypted: Type.Boolean(),
      }),
      Type.Null(),
    ]),
  ),
});

export type ConsoleSettings = Static<typeof ConsoleSettings>;
