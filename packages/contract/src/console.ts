import { type Static, Type } from 'typebox';
import { closed, described } from './input/schema.ts';

/** The types of the files of the operators' page, by the ends of their names. */
export const CONSOLE_FILE_TYPES = {
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  html: 'text/html',
  webmanifest: 'application/manifest+json',
} as const;

/** The reasons why the file with a map in the data folder cannot be used. */
const MAP_FAULTS = ['not_readable', 'not_pmtiles', 'unknown_version', 'unknown_tiles', 'damaged'] as const;

export type MapFault = (typeof MAP_FAULTS)[number];

/** The settings that the operators' page needs before anybody has signed in; they contain no secrets. */
export const ConsoleSettings = closed({
  version: described('The version of the service.', Type.String()),
  silo_segment: described('The path segment of the silo group.', Type.String()),
  field_segment: described('The path segment of the field group.', Type.String()),
  map_tiles_url: described(
    'The address of map tiles with `{z}`, `{x}` and `{y}`; those of a map in the data folder are at `/map-tiles/`. Null where the map has its metre grid only.',
    Type.Union([Type.String(), Type.Null()]),
  ),
  map_fault: described(
    'Why the `.pmtiles` file in the data folder is not used; null where it is used, or where there is none.',
    Type.Union([Type.Enum(MAP_FAULTS), Type.Null()]),
  ),
  sign_on_name: described(
    'What people call the identity provider with which they can sign in; null where there is none.',
    Type.Union([Type.String(), Type.Null()]),
  ),
  has_people: described(
    'Whether people can sign in by name; the page then asks for that first.',
    Type.Boolean(),
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
