import { type Static, Type } from 'typebox';
import { OptionalActor } from './audit.ts';
import { checker, closed, described } from './input/schema.ts';
import { line, shownName } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';

/** The statement of a person that a job does not run any more, although the device has not reported its end. */
export const EndDeclaration = closed({
  reason: line(200),
  looked_by: described('The name of the person who has looked at the device.', shownName(200)),
});

/** The declaration in the record of the job; it stays there even if the device reports afterwards. */
export const DeclaredEnd = closed({ ...EndDeclaration.properties, at: Timestamp, by: OptionalActor });

export const DeclaredEndOrNull = Type.Union([DeclaredEnd, Type.Null()]);

export type EndDeclaration = Static<typeof EndDeclaration>;
export type DeclaredEnd = Static<typeof DeclaredEnd>;

export const checkEndDeclaration = checker(EndDeclaration);
