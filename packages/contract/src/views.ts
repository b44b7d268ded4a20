import { type Static, Type } from 'typebox';
import { OptionalActor } from './audit.ts';
import { checker, closed, described } from './input/schema.ts';
import { form, shownName } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { sentence } from './sentences/codes.ts';

export const VIEWS_PER_KEY_MAX = 50;

const Name = shownName(100);
const Address = described(
  'The part of an address of the operators’ page from `#` on, with its filters.',
  Type.String({
    maxLength: 1_000,
    pattern: '^#/[\\x21-\\x7e]*$',
    ...form(sentence('address_of_view')),
  }),
);
const Shared = described('Every key sees its name and its address.', Type.Boolean());

/** A page of the console with its filters, under a name. */
export const View = closed({
  view_id: Type.String(),
  name: Name,
  address: Address,
  shared: Shared,
  is_own: described('Whether it is that of the key that asks.', Type.Boolean()),
  created_by: OptionalActor,
  updated_at: Timestamp,
});

export const NewView = closed({ name: Name, address: Address, shared: Type.Optional(Shared) });

export const UNIT_CHOICES = {
  mass: ['metric', 'kg', 't', 'lb', 'short_ton', 'bushel'],
  temperature: ['celsius', 'fahrenheit'],
  speed: ['m/s', 'km/h', 'mph'],
} as const;

/** The units in which the operators' page shows and takes quantities; stored and sent values do not depend on them. */
export const Units = closed({
  mass: described(
    '`metric` is kg, and t from 1,000 kg on; a bushel is that of the product of the silo.',
    Type.Enum(UNIT_CHOICES.mass),
  ),
  temperature: Type.Enum(UNIT_CHOICES.temperature),
  speed: Type.Enum(UNIT_CHOICES.speed),
});

/** The settings that the operators' page stores for a person or a key. */
export const Preferences = closed({
  units: described('`null` until they were chosen.', Type.Union([Units, Type.Null()])),
});

export const ViewPatch = closed({
  name: Type.Optional(Name),
  address: Type.Optional(Address),
  shared: Type.Optional(Shared),
});

export type View = Static<typeof View>;
export type NewView = Static<typeof NewView>;
export type ViewPatch = Static<typeof ViewPatch>;
export type Units = Static<typeof Units>;
export type Preferences = Static<typeof Preferences>;

export const checkNewView = checker(NewView);
export const checkViewPatch = checker(ViewPatch);
export const checkPreferences = checker(Preferences);
