import { type Static, Type } from 'typebox';
import { PageQuery } from './envelope.ts';
import { checker, closed, described } from './input/schema.ts';
import { line } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';

/** The `icarFeedQuantityType`; `KGM` is the UN/CEFACT code for kilograms. */
const Quantity = closed({ unitCode: Type.Literal('KGM'), value: Type.Number() });

/** The `icarFeedStorageResource` of the ICAR Animal Data Exchange 1.4, with the fields that a silo has. */
export const IcarFeedStorage = closed({
  resourceType: Type.Literal('icarFeedStorageResource'),
  id: described('The id of the device.', Type.String()),
  name: Type.String(),
  softwareVersion: Type.String(),
  isActive: described('Whether the device is online.', Type.Boolean()),
  location: described('The facility.', closed({ id: Type.String(), scheme: Type.String() })),
  meta: described(
    '`modified` is the time of the last weight, or of this answer where none was reported.',
    closed({ source: Type.String(), sourceId: Type.String(), modified: Timestamp }),
  ),
  feedId: Type.Optional(described('The name of the product in the configuration.', Type.String())),
  capacity: Quantity,
  quantityAvailable: Type.Optional(
    described('The last weight; missing where none was reported, or it cannot be true.', Quantity),
  ),
});

/** The `icarFeedStorageCollection`. */
export const IcarFeedStorages = closed({
  view: closed({
    pageSize: Type.Integer(),
    next: Type.Optional(described('The address of the next page.', Type.String())),
  }),
  member: Type.Array(IcarFeedStorage),
});

const IcarQuery = closed({
  ...PageQuery.properties,
  facility: Type.Optional(line(200)),
});

export type IcarFeedStorage = Static<typeof IcarFeedStorage>;
export type IcarFeedStorages = Static<typeof IcarFeedStorages>;

export const checkIcarQuery = checker(IcarQuery);
