import type { Client } from '@granary/client';
import type { MassUnit, OperationType, RateUnit } from '@granary/contract/operations';
import type { Field } from '../../frame/output.ts';
import { age, duration } from '../../terminal/times.ts';
import { numberText } from '../devices/device-texts.ts';

const KG_PER: Readonly<Record<MassUnit, number>> = { kg: 1, t: 1_000, lb: 0.45359237, g: 0.001 };
const KG_PER_MIN: Readonly<Record<RateUnit, number>> = {
  'kg/min': 1,
  't/h': 1_000 / 60,
  'kg/h': 1 / 60,
  'lb/min': 0.45359237,
};
const MINUTE_MS = 60_000;

export interface Amount {
  readonly amount: number;
  readonly unit: MassUnit;
}

export interface WantedOperation extends Amount {
  readonly type: OperationType;
  readonly rate?: number;
  readonly rateUnit: RateUnit;
  readonly container?: string;
}

/** What the operation is expected to do. The service decides whether it may; this is for the person who confirms it. */
export async function expectedEffect(
  client: Client,
  deviceId: string,
  wanted: WantedOperation,
): Promise<Field[]> {
  const [{ name, capacity }, { level }, { configuration }] = await Promise.all([
    client.devices.silo.get(deviceId),
    client.telemetry.current(deviceId),
    client.configuration.silo.get(deviceId),
  ]);
  const { max_feed_rate, max_discharge_rate, rate_unit } = configuration.operation_limits;
  const amountKg = wanted.amount * KG_PER[wanted.unit];
  const { limit, sign } = {
    feed: { limit: max_feed_rate, sign: 1 },
    discharge: { limit: max_discharge_rate, sign: -1 },
  }[wanted.type];
  const rateKgPerMin = wanted.rate === undefined ? limit : wanted.rate * KG_PER_MIN[wanted.rateUnit];
  const contents = (kg: number): string => `${numberText(kg)} kg, ${numberText((kg / capacity.max) * 100)} %`;
  const { actual } = level;
  return [
    ['silo', `${deviceId} (${name}), ${capacity.max} ${capacity.unit}`],
    [
      wanted.type,
      `${wanted.amount} ${wanted.unit}${wanted.container === undefined ? '' : ` into ${wanted.container}`}`,
    ],
    [
      'now',
      actual === null ? 'not known' : `${contents(actual)} (${level.quality}, ${age(level.timestamp)})`,
    ],
    ['after', actual === null ? 'not known' : contents(actual + sign * amountKg)],
    ['rate', `${numberText(rateKgPerMin)} kg/min (limit ${limit} ${rate_unit})`],
    ['duration', `about ${duration((amountKg / rateKgPerMin) * MINUTE_MS)}`],
  ];
}
