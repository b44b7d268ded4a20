import { type Static, Type } from 'typebox';
import { OptionalActor } from '../audit.ts';
import { PageQuery } from '../envelope.ts';
import { DeviceId } from '../ids.ts';
import { type Checker, checker, closed, described } from '../input/schema.ts';
import { line } from '../input/text-schemas.ts';
import { Timestamp } from '../input/timestamp.ts';
import { issueOf } from '../input/validation-issues.ts';
import { sentence } from '../sentences/codes.ts';
import { PlannedDelivery } from './silo-use.ts';

export const COMPARTMENTS_MAX = 20;
const KG_MAX = 1e7;
const COMPARTMENT_KG_MAX = 1e6;

const KgOrNull = Type.Union([Type.Number(), Type.Null()]);
const TextOrNull = Type.Union([Type.String(), Type.Null()]);

/** How a refill was detected: by a rise of the weight that stayed, or as a `feed` operation whose amount is known. */
export const REFILL_SOURCES = ['weight', 'operation'] as const;

export const Refill = closed({
  refill_id: Type.String(),
  device_id: DeviceId,
  began_at: Timestamp,
  ended_at: Timestamp,
  source: Type.Enum(REFILL_SOURCES),
  kg: described('What was added, with what was used meanwhile.', Type.Number()),
  before_kg: described('The level before it; `null` if it is not known, like `after_kg`.', KgOrNull),
  after_kg: KgOrNull,
  operation_id: described('Of the `feed` operation.', TextOrNull),
  delivery_note_kg: described('As a person has entered it.', KgOrNull),
  product: TextOrNull,
  is_refill: described(
    '`false` if a person said that it was none; then it counts as a fault of the scale.',
    Type.Boolean(),
  ),
  changed_at: Type.Union([Timestamp, Type.Null()]),
  changed_by: OptionalActor,
});

/** Fields that are not named stay as they are. */
export const RefillPatch = closed({
  delivery_note_kg: Type.Optional(
    described(
      'The amount on the delivery note; `null` removes it.',
      Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: KG_MAX }), Type.Null()]),
    ),
  ),
  product: Type.Optional(Type.Union([line(100), Type.Null()])),
  is_refill: Type.Optional(described('`false`: it was not a refill.', Type.Boolean())),
});

export const RefillQuery = closed({
  ...PageQuery.properties,
  facility: Type.Optional(line(200)),
  zone: Type.Optional(line(200)),
  device_id: Type.Optional(DeviceId),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
});

/** All planned deliveries of a silo after a change, ordered by time. */
export const PlannedDeliveries = closed({ planned: Type.Array(PlannedDelivery) });

export const CancelQuery = closed({
  at: Type.Optional(
    described('The time of the planned delivery; all are cancelled when not given.', Timestamp),
  ),
});

export const OrderListQuery = closed({
  until: Type.Optional(
    described('Silos that must be ordered for before this time; in 7 days when not given.', Timestamp),
  ),
  facility: Type.Optional(line(200)),
  product: Type.Optional(line(100)),
  compartments: Type.Optional(
    described(
      'The compartments of the truck in kg, separated by commas, such as `8000,6000,6000`.',
      Type.String({ maxLength: 200 }),
    ),
  ),
});

const Window = closed({ from: Timestamp, to: Timestamp });

export const OrderLine = closed({
  device_id: DeviceId,
  name: Type.String(),
  facility: Type.String(),
  zone: Type.String(),
  product: TextOrNull,
  kg: described('What fits at the time of the delivery.', Type.Number()),
  time_zone: described('Of the silo.', Type.String()),
  order_by: Timestamp,
  deliver_between: Window,
  level_kg: KgOrNull,
  kg_per_day: KgOrNull,
  empty_p50: Type.Union([Timestamp, Type.Null()]),
});

/** A proposed load; one compartment has one product. */
const Load = closed({
  truck: described('Counted from 1.', Type.Integer({ minimum: 1 })),
  compartment: described('Counted from 1, in the order of the query.', Type.Integer({ minimum: 1 })),
  capacity_kg: Type.Number(),
  product: TextOrNull,
  kg: Type.Number(),
  device_ids: Type.Array(DeviceId),
});

export const OrderList = closed({
  made_at: Timestamp,
  until: Timestamp,
  lines: described('By facility, product and the latest time to order.', Type.Array(OrderLine)),
  totals: Type.Array(
    closed({
      facility: Type.String(),
      product: TextOrNull,
      silos: Type.Integer({ minimum: 1 }),
      kg: Type.Number(),
      kg_per_day: described('The use of these silos.', Type.Number()),
      order_by: Timestamp,
    }),
  ),
  loads: described(
    'How the lines fit into the compartments; `null` without `compartments`.',
    Type.Union([Type.Array(Load), Type.Null()]),
  ),
  not_loaded: described(
    'What fits into no compartment.',
    Type.Array(closed({ device_id: DeviceId, kg: Type.Number() })),
  ),
});

export type Refill = Static<typeof Refill>;
export type RefillSource = (typeof REFILL_SOURCES)[number];
export type RefillPatch = Static<typeof RefillPatch>;
export type RefillQuery = Static<typeof RefillQuery>;
export type PlannedDeliveries = Static<typeof PlannedDeliveries>;
export type CancelQuery = Static<typeof CancelQuery>;
export type OrderListQuery = Static<typeof OrderListQuery>;
export type OrderLine = Static<typeof OrderLine>;
export type OrderList = Static<typeof OrderList>;

export const checkRefillPatch = checker(RefillPatch);
export const checkRefillQuery = checker(RefillQuery);
export const checkPlannedDelivery = checker(PlannedDelivery);
export const checkCancelQuery = checker(CancelQuery);

/** The compartments of a truck in kg; `null` if the text is not such a list. */
export function compartmentsOf(text: string): readonly number[] | null {
  const parts = text.split(',').map((part) => (/^[0-9]{1,7}(\.[0-9]{1,3})?$/.test(part) ? Number(part) : 0));
  const isList = parts.length <= COMPARTMENTS_MAX && parts.every((kg) => kg > 0 && kg <= COMPARTMENT_KG_MAX);
  return isList ? parts : null;
}

const checkFields = checker(OrderListQuery);
const COMPARTMENTS = sentence('compartments_of_truck', {
  count: COMPARTMENTS_MAX,
  limit: COMPARTMENT_KG_MAX,
});
const COMPARTMENT_FAULT = issueOf('/compartments', sentence('must_be', { what: [COMPARTMENTS] }));

const hasGoodCompartments = ({ compartments }: OrderListQuery): boolean =>
  compartments === undefined || compartmentsOf(compartments) !== null;

export const checkOrderListQuery: Checker<OrderListQuery> = {
  schema: OrderListQuery,
  accepts: (value): value is OrderListQuery => checkFields.accepts(value) && hasGoodCompartments(value),
  faults: (value) => {
    if (!checkFields.accepts(value)) return checkFields.faults(value);
    return hasGoodCompartments(value) ? [] : [COMPARTMENT_FAULT];
  },
};
