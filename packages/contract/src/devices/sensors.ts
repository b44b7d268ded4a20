import { type Static, Type } from 'typebox';
import { closed, described } from '../input/schema.ts';
import { form, line } from '../input/text-schemas.ts';
import { sentence } from '../sentences/codes.ts';
import { SENSOR_STATUSES } from './statuses.ts';

export const SENSORS_DECLARED_MAX = 64;
/** The decimals of a value when its declaration does not name them. */
export const DEFAULT_PRECISION = 3;
export const PRECISION_MAX = 6;
const REPORTING_INTERVAL_S_MAX = 7 * 86_400;

/**
 * Starts with a letter or digit, so that no id is `__proto__`. The pattern limits the length too, because the names of an
 * object are compared with the pattern alone.
 */
export const SensorId = Type.String({
  maxLength: 64,
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
  ...form(sentence('sensor_identifier')),
});

const SensorType = Type.String({
  maxLength: 64,
  pattern: '^[a-z][a-z0-9_]*$',
  ...form(sentence('sensor_type')),
});

/** The place of a sensor in a silo; the points of a cable are counted from the bottom. */
export const SensorPosition = closed({
  cable: Type.Integer({ minimum: 1, maximum: 99 }),
  point: Type.Integer({ minimum: 1, maximum: 99 }),
  height_m: described('Above the floor of the silo.', Type.Number({ minimum: 0, maximum: 100 })),
});

const ReportingInterval = Type.Number({ exclusiveMinimum: 0, maximum: REPORTING_INTERVAL_S_MAX });

/** A sensor that a device has beside those of its profile. */
export const SensorDeclaration = closed({
  sensor_id: SensorId,
  type: described('What it measures: `temperature`, `co2`, …', SensorType),
  unit: line(32),
  precision: Type.Optional(
    described(
      'The number of decimals of a value; 3 when not given.',
      Type.Integer({ minimum: 0, maximum: PRECISION_MAX }),
    ),
  ),
  min: Type.Optional(
    described(
      'The range of plausible values; without it, everything that can be stored exactly. A change holds from the next value on.',
      Type.Number(),
    ),
  ),
  max: Type.Optional(Type.Number()),
  reporting_interval_s: Type.Optional(
    described('How often it reports, if not as often as the device.', ReportingInterval),
  ),
  position: Type.Optional(described('Of a sensor on a temperature cable in a silo.', SensorPosition)),
});

export const SensorDeclarations = Type.Array(SensorDeclaration, { maxItems: SENSORS_DECLARED_MAX });

/** A declared sensor in the detail of its device. */
export const DeclaredSensorSummary = closed({
  type: SensorType,
  sensor_id: SensorId,
  status: Type.Enum(SENSOR_STATUSES),
  unit: Type.String(),
  precision: Type.Integer(),
  min: Type.Number(),
  max: Type.Number(),
  reporting_interval_s: described(
    '`null` for a sensor that reports as often as its device.',
    Type.Union([ReportingInterval, Type.Null()]),
  ),
  position: Type.Optional(SensorPosition),
});

export type SensorPosition = Static<typeof SensorPosition>;
export type SensorDeclaration = Static<typeof SensorDeclaration>;
export type DeclaredSensorSummary = Static<typeof DeclaredSensorSummary>;
