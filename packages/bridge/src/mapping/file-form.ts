import { type Checker, checker, closed } from '@granary/contract/input/schema';
import { line } from '@granary/contract/input/text-schemas';
import { PROFILE_NAMES } from '@granary/contract/profiles/profiles';
import { type Static, type TProperties, Type } from 'typebox';
import { Duration } from './duration.ts';
import { EVIDENCE, type ProtocolName } from './mapping.ts';
import { messageForm } from './message-form.ts';
import { modbusForm } from './modbus-form.ts';
import { type PlaceForm, patternText } from './place-form.ts';
import { BAD_REASONS } from './value.ts';

const messages = messageForm as PlaceForm<unknown, unknown>;

/** The form of each protocol in a mapping file. */
export const FORMS: Readonly<Record<ProtocolName, PlaceForm<unknown, unknown>>> = {
  modbus: modbusForm as PlaceForm<unknown, unknown>,
  mqtt: messages,
  http: messages,
  lorawan: messages,
  nmea: messages,
  gpsd: messages,
  ascii: messages,
};
export const PROTOCOLS = Object.keys(FORMS) as readonly ProtocolName[];

const REPETITIONS_MAX = 1_000;
const NAME = '^[a-z][a-z0-9_]{0,39}$';

const Name = patternText(NAME, 'a name of small letters, digits and _');
const ConditionText = patternText(
  '^[a-z][a-z0-9_]{0,39}\\.[a-z][a-z0-9_]{0,39}$',
  'a bit such as status.overload',
);
const ConditionValue = Type.Union([Type.Number(), line(64)]);
const ConditionField = Type.Union([
  ConditionText,
  closed({ point: Name, is: Type.Union([ConditionValue, Type.Array(ConditionValue, { minItems: 1 })]) }),
]);
const Conditions = Type.Optional(Type.Array(ConditionField, { minItems: 1, maxItems: 64 }));
const From = Type.Optional(closed({ point: Name, table: Name }));

const PointFields = closed({
  sensor: Type.Optional(
    patternText(
      '^[A-Za-z0-9](?:[A-Za-z0-9_-]|\\{n\\}){0,63}$',
      'the id of a sensor, with {n} for the number of a repeated point',
    ),
  ),
  kind: Type.Optional(Name),
  decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 6 })),
  every: Type.Optional(Duration),
  doc: Type.Optional(Type.Union([Type.Number(), line(64)])),
  note: Type.Optional(line(300)),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: REPETITIONS_MAX })),
  first: Type.Optional(Type.Integer({ minimum: 0, maximum: REPETITIONS_MAX })),
  scale: Type.Optional(Type.Number()),
  offset: Type.Optional(Type.Number()),
  scale_from: From,
  negative_when: Type.Optional(ConditionField),
  table_of: Type.Optional(Name),
  unit: Type.Optional(line(32)),
  unit_from: From,
  convert: Type.Optional(line(32)),
  none: Type.Optional(Type.Union([Type.Number(), Type.Array(Type.Number(), { minItems: 1, maxItems: 20 })])),
  range: Type.Optional(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
  bits: Type.Optional(
    Type.Object({}, { additionalProperties: false, patternProperties: { '^[0-9]{1,2}$': Name } }),
  ),
  bad_when: Conditions,
  valid_when: Conditions,
});

const ExpectedFields = closed({
  value: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  unit: Type.Optional(Type.String({ maxLength: 32 })),
  quality: Type.Optional(Type.Enum(['good', 'bad'])),
  reason: Type.Optional(Type.Enum(BAD_REASONS)),
});

const Tables = Type.Object(
  {},
  {
    additionalProperties: false,
    patternProperties: {
      [NAME]: Type.Object(
        {},
        {
          additionalProperties: false,
          patternProperties: { '^[\\s\\S]{1,64}$': Type.Union([Type.Number(), line(32)]) },
        },
      ),
    },
  },
);

const Header = closed({
  mapping: patternText('^[a-z0-9][a-z0-9-]{0,63}$', 'a name of small letters, digits and -'),
  version: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  title: line(200),
  source: Type.Union([line(1_000), Type.Array(line(1_000), { minItems: 1, maxItems: 20 })]),
  evidence: Type.Enum(EVIDENCE),
  protocol: Type.Enum(PROTOCOLS),
  profile: Type.Optional(Type.Enum(PROFILE_NAMES)),
  defaults: Type.Optional(Type.Unknown()),
  tables: Type.Optional(Tables),
  points: Type.Object(
    {},
    { additionalProperties: false, minProperties: 1, patternProperties: { [NAME]: Type.Unknown() } },
  ),
  examples: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 500 })),
});

export type PointFields = Static<typeof PointFields>;
export type ConditionField = Static<typeof ConditionField>;
export type HeaderFields = Static<typeof Header> & { readonly points: Readonly<Record<string, unknown>> };
export type TableFields = Readonly<Record<string, Readonly<Record<string, number | string>>>>;

interface Checks {
  readonly defaults: Checker<unknown>;
  readonly point: Checker<unknown>;
  readonly example: Checker<unknown>;
}

export const checkHeader = checker(Header);
const checksByProtocol = new Map<ProtocolName, Checks>();

/** Returns the checks of the parts of a file, which depend on its protocol. */
export function checksOf(protocol: ProtocolName): Checks {
  const known = checksByProtocol.get(protocol);
  if (known !== undefined) return known;
  const { defaults, point, example } = FORMS[protocol];
  const extended = (own: TProperties, others: TProperties) => checker(closed({ ...own, ...others }));
  const checks = {
    defaults: extended({ every: Type.Optional(Duration), valid_when: Conditions }, defaults),
    point: extended(PointFields.properties, point),
    example: extended(
      {
        note: Type.Optional(line(300)),
        gives: Type.Object(
          {},
          {
            additionalProperties: false,
            minProperties: 1,
            patternProperties: { '^[a-z][a-z0-9_]{0,49}$': Type.Union([Type.Number(), ExpectedFields]) },
          },
        ),
      },
      example,
    ),
  };
  checksByProtocol.set(protocol, checks);
  return checks;
}

/** Reports a fault at a path of the file. */
export type ReportAt = (path: string, message: string) => void;
