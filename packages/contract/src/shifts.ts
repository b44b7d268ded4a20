import { type Static, Type } from 'typebox';
import { OptionalActor } from './audit.ts';
import { PageQuery } from './envelope.ts';
import { DeviceId } from './ids.ts';
import { type Checker, checker, closed, described } from './input/schema.ts';
import { line, noteNotEmpty } from './input/text-schemas.ts';
import { issueOf } from './input/validation-issues.ts';
import { sentence } from './sentences/english.ts';
import { Timestamp } from './time.ts';

const Text = noteNotEmpty(2_000);
const DeviceIdOrNull = Type.Union([DeviceId, Type.Null()]);

/** What a person has written about a device or a facility, at a time. */
export const Note = closed({
  note_id: Type.String(),
  device_id: described('`null` for a note on the whole facility.', DeviceIdOrNull),
  facility: described('That of the device, as it is now, for a note on a device.', Type.String()),
  at: described('The time that the note is about.', Timestamp),
  text: Text,
  created_at: Timestamp,
  created_by: OptionalActor,
});

/** On a device or on a facility. */
export const NewNote = closed({
  device_id: Type.Optional(DeviceId),
  facility: Type.Optional(line(200)),
  at: Type.Optional(described('The time that the note is about; now when not given.', Timestamp)),
  text: Text,
});

export const NoteQuery = closed({
  ...PageQuery.properties,
  device_id: Type.Optional(DeviceId),
  facility: Type.Optional(described('Also those on the devices of the facility.', line(200))),
  from: Type.Optional(Timestamp),
  to: Type.Optional(described('Not included.', Timestamp)),
});

export type Note = Static<typeof Note>;
export type NewNote = Static<typeof NewNote>;
export type NoteQuery = Static<typeof NoteQuery>;

export const checkNoteQuery = checker(NoteQuery);

const checkNoteFields = checker(NewNote);
const hasOnePlace = ({ device_id, facility }: NewNote): boolean =>
  (device_id === undefined) !== (facility === undefined);

export const checkNewNote: Checker<NewNote> = {
  schema: NewNote,
  accepts: (value): value is NewNote => checkNoteFields.accepts(value) && hasOnePlace(value),
  faults: (value) => {
    if (!checkNoteFields.accepts(value)) return checkNoteFields.faults(value);
    if (hasOnePlace(value)) return [];
    const fault = sentence('must_have_just_one_of', { fields: 'device_id, facility' });
    return [issueOf('', fault)];
  },
};
