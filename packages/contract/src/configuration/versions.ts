import { type TSchema, Type } from 'typebox';
import { OptionalActor } from '../audit.ts';
import { closed, described } from '../input/schema.ts';
import { Timestamp } from '../time.ts';

/** What a configuration was from `at` until the next version. */
export const configurationVersion = <Configuration extends TSchema>(configuration: Configuration) =>
  closed({
    version: described('As in the header `ETag`.', Type.Integer({ minimum: 1 })),
    at: Timestamp,
    actor: described(
      '`null` where it was stored before versions were kept, or no caller asked for it.',
      OptionalActor,
    ),
    configuration,
  });
