import type { Client } from '@granary/client';
import type { MassUnit, OperationType, RateUnit } from '@granary/contract/operations';
import { age, duration } from '../../frame/times.ts';
import type { Field } from '../../terminal/output.ts';
import { messageText } from '../../terminal/sentences.ts';
import { numberText } from '../devices/device-texts.ts';

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

/** What the service expects of the operation, for the person who confirms it. The start is decided again. */
export async function expectedEffect(
  client: Client,
  deviceId: string,
  { type, amount, unit, rate, rateUnit, container }: WantedOperation,
): Promise<Field[]> {
  const wanted = { type, amount, unit, rate_unit: rateUnit, ...(rate === undefined ? {} : { rate }) };
  const [{ name, capacity }, { level }, plan] = await Promise.all([
    client.devices.silo.get(deviceId),
    client.telemetry.current(deviceId),
    client.operations.plan(deviceId, wanted),
  ]);
  const contents = (percent: number): string =>
    `${numberText((percent * capacity.max) / 100)} kg, ${numberText(percent)} %`;
  const { level_before, level_after, crosses, refusal } = plan;
  return [
    ['silo', `${deviceId} (${name}), ${capacity.max} ${capacity.unit}`],
    [type, `${amount} ${unit}${container === undefined ? '' : ` into ${container}`}`],
    [
      'now',
      level_before === null
        ? 'not known'
        : `${contents(level_before)} (${level.quality}, ${age(level.timestamp)})`,
    ],
    ['after', level_after === null ? 'not known' : contents(level_after)],
    [
      'rate',
      `${numberText(plan.rate)} ${plan.rate_unit} (limit ${numberText(plan.rate_limit)} ${plan.rate_unit})`,
    ],
    ['duration', `about ${duration(plan.estimated_duration * MINUTE_MS)}`],
    ...(crosses.length === 0 ? [] : [['passes', crosses.join(', ')] as const]),
    ...(refusal === null ? [] : [['refused now', messageText(refusal)] as const]),
  ];
}
