import { type Static, type TSchema, Type } from 'typebox';
import { closed, described } from '../input/schema.ts';
import { form, LocalDate, line, TimeZoneName } from '../input/text-schemas.ts';
import { Timestamp } from '../input/timestamp.ts';
import { WEEKDAYS } from '../notifications.ts';
import { sentence } from '../sentences/codes.ts';

export const GRAINS = ['maize', 'wheat', 'soft_wheat', 'barley', 'soybean', 'rice', 'sorghum'] as const;
export const ANIMAL_KINDS = ['broiler', 'layer', 'pig', 'dairy', 'other'] as const;
const WITHDRAWALS = ['any', 'operations_only'] as const;
const PLANNED_DELIVERIES_MAX = 50;
const CURVE_DAYS_MAX = 400;
const HEADS_MAX = 1e7;
const KG_MAX = 1e7;
const LEAD_TIME_H_MAX = 60 * 24;

const Kg = Type.Number({ exclusiveMinimum: 0, maximum: KG_MAX });

export const Product = closed({
  name: described('As on the order; silos with the same name are ordered together.', line(100)),
  grain: Type.Optional(described('For what is stored as grain: its physics are known.', Type.Enum(GRAINS))),
  moisture_percent: Type.Optional(
    described('Of the grain when it was stored, wet basis.', Type.Number({ minimum: 5, maximum: 45 })),
  ),
  bulk_density: Type.Optional(described('kg/m³.', Type.Number({ minimum: 50, maximum: 2_000 }))),
});

/** The animals that are fed from the silo. Their kind and age show how the use will change. */
export const Animals = closed({
  kind: Type.Enum(ANIMAL_KINDS),
  heads: Type.Integer({ minimum: 1, maximum: HEADS_MAX }),
  started_on: described('Of broilers the day of hatching, of others the day on which they came.', LocalDate),
  ends_on: Type.Optional(described('The first day without animals, if it is known.', LocalDate)),
  curve: Type.Optional(
    described(
      'Feed of each animal in g a day, from the first day; in place of the reference curve of the kind.',
      Type.Array(Type.Number({ minimum: 0, maximum: 100_000 }), { minItems: 1, maxItems: CURVE_DAYS_MAX }),
    ),
  ),
});

export const PlannedDelivery = closed({
  at: described('When the truck is expected. A silo has one planned delivery at a time.', Timestamp),
  kg: Kg,
});

const TimeOfDay = Type.String({
  maxLength: 5,
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  ...form(sentence('time_of_day')),
});

export const Supply = closed({
  lead_time_h: Type.Optional(
    described(
      'From the order to the delivery; 48 when not given.',
      Type.Number({ minimum: 0, maximum: LEAD_TIME_H_MAX }),
    ),
  ),
  cut_off: Type.Optional(
    described('An order after this time of day counts as one of the next day.', TimeOfDay),
  ),
  delivery_days: Type.Optional(
    described(
      'The days on which the supplier delivers; every day when not given.',
      Type.Array(Type.Enum(WEEKDAYS), { minItems: 1, maxItems: 7, uniqueItems: true }),
    ),
  ),
  min_kg: Type.Optional(described('The smallest delivery.', Type.Number({ minimum: 0, maximum: KG_MAX }))),
  truck_kg: Type.Optional(described('The largest delivery.', Kg)),
  reserve_percent: Type.Optional(
    described(
      'Of the capacity, which must not be used; 5 when not given.',
      Type.Number({ minimum: 0, maximum: 90 }),
    ),
  ),
  planned: Type.Optional(
    described(
      'The deliveries that are ordered; also changed by `POST` and `DELETE …/deliveries`.',
      Type.Array(PlannedDelivery, { maxItems: PLANNED_DELIVERIES_MAX }),
    ),
  ),
});

const nullable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));

const { lead_time_h, cut_off, delivery_days, min_kg, truck_kg, reserve_percent, planned } = Supply.properties;

/** Fields that are not named stay as they are, and `null` removes a field. */
const SupplyPatch = closed({
  lead_time_h: nullable(lead_time_h),
  cut_off: nullable(cut_off),
  delivery_days: nullable(delivery_days),
  min_kg: nullable(min_kg),
  truck_kg: nullable(truck_kg),
  reserve_percent: nullable(reserve_percent),
  planned: nullable(planned),
});

const Withdrawals = Type.Enum(WITHDRAWALS);

/** The part of a silo's configuration for forecasts, which only the service uses: it is not sent to the device. */
export const siloUseFields = {
  product: Type.Optional(Product),
  animals: Type.Optional(Animals),
  supply: Type.Optional(Supply),
  withdrawals: Type.Optional(
    described(
      '`operations_only`: every removal is an operation of the service, so that anything else is a loss; `any` when not given.',
      Withdrawals,
    ),
  ),
  time_zone: Type.Optional(
    described('Of the site, for its days and hours; that of the service when not given.', TimeZoneName),
  ),
};

export const siloUsePatchFields = {
  product: Type.Optional(
    described('Replaced as a whole; `null` removes it.', Type.Union([Product, Type.Null()])),
  ),
  animals: Type.Optional(
    described('Replaced as a whole; `null` removes them.', Type.Union([Animals, Type.Null()])),
  ),
  supply: Type.Optional(
    described(
      'Fields that are not named stay as they are; `null` removes one, or all.',
      Type.Union([SupplyPatch, Type.Null()]),
    ),
  ),
  withdrawals: Type.Optional(Type.Union([Withdrawals, Type.Null()])),
  time_zone: Type.Optional(Type.Union([TimeZoneName, Type.Null()])),
};

/** The names of the fields, in the order of the configuration. */
export const SILO_USE_FIELDS = Object.keys(siloUseFields) as readonly (keyof typeof siloUseFields)[];

const SiloUse = closed(siloUseFields);
const SiloUsePatch = closed(siloUsePatchFields);

export type Grain = (typeof GRAINS)[number];
export type AnimalKind = (typeof ANIMAL_KINDS)[number];
export type Product = Static<typeof Product>;
export type Animals = Static<typeof Animals>;
export type PlannedDelivery = Static<typeof PlannedDelivery>;
export type Supply = Static<typeof Supply>;
export type SiloUse = Static<typeof SiloUse>;
export type SiloUsePatch = Static<typeof SiloUsePatch>;
