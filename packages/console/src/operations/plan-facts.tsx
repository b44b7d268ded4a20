import type { OperationPlan } from '@granary/contract/operations';
import { useConsole } from '../context/console.ts';
import { type Fact, FactList } from '../kit/fact-list.tsx';
import { formatBoth, formatDuration, formatValue } from '../kit/format.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { locale, texts } from '../texts.ts';
import { unusualReasons } from './look-twice.ts';

const MINUTE_MS = 60_000;

interface Props {
  readonly deviceId: string;
  readonly plan: OperationPlan;
  readonly container: string | null;
  readonly more?: readonly Fact[];
}

/** The facts for the decision of the person who confirms a feed or a discharge. */
export function PlanFacts({ deviceId, plan, container, more = [] }: Props) {
  const { live } = useConsole();
  const { proposals, devices } = texts.value;
  const { level_before: before, level_after: after, crosses } = plan;
  const device = live.site.devices.described(deviceId);
  const percent = (level: number): string => formatValue(level, 'percent', locale.value);
  return (
    <>
      <FactList
        facts={[
          { title: proposals.device, value: live.site.devices.nameOf(deviceId) },
          ...(device === undefined
            ? []
            : [{ title: texts.value.table.facility, value: device.location.facility }]),
          ...(container === null ? [] : [{ title: devices.container, value: container, isUnusual: true }]),
          ...more,
          { title: proposals.rate, value: formatBoth(plan.rate, plan.rate_unit, locale.value, deviceId) },
          { title: proposals.duration, value: formatDuration(plan.estimated_duration * MINUTE_MS) },
          {
            title: proposals.level,
            value:
              before === null || after === null
                ? devices.levelUnknown
                : `${percent(before)} → ${percent(after)}`,
          },
        ]}
      />
      {crosses.length > 0 && (
        <SeverityMark
          severity="warning"
          text={proposals.crosses({ alerts: crosses.map((one) => devices.thresholds[one]).join(', ') })}
        />
      )}
      {unusualReasons(plan, deviceId).map((reason) => (
        <SeverityMark key={reason} severity="warning" text={reason} />
      ))}
    </>
  );
}
