import type { OperationPlan, OperationType } from '@granary/contract/operations';
import { LEVEL_THRESHOLDS } from '@granary/contract/outline';
import { formatDuration, formatQuantity } from '../kit/format.ts';
import type { SecondPressWords } from '../kit/second-press.tsx';
import { withinSentence } from '../kit/sentences.ts';
import { locale, texts } from '../texts.ts';

const MINUTE_MS = 60_000;

interface Planned {
  readonly type: OperationType;
  /** What the operation does, with its amount. */
  readonly title: string;
  readonly plan: OperationPlan;
  readonly deviceId: string;
}

/** The reasons before a start that needs a second press, and the text of its button; `null` if one press is enough. */
export function lookTwice({ type, title, plan, deviceId }: Planned): SecondPressWords | null {
  const { again } = texts.value.operations;
  const { crosses, warnings } = plan;
  const [first] = warnings;
  if (first === undefined) return null;
  const worst = LEVEL_THRESHOLDS.findLast((name) => crosses.includes(name));
  const named = {
    passes_threshold: () =>
      worst === undefined
        ? title
        : again.passes[type]({ title, threshold: withinSentence(texts.value.devices.thresholds[worst]) }),
    far_above_usual: () => again.farAbove({ title, usual: usualOf(plan, deviceId) }),
    longer_than_shift: () => again.long({ title, duration: durationOf(plan) }),
  };
  const raised = crosses.map((name) => texts.value.devices.thresholds[name]).join(', ');
  return {
    text: named[first](),
    reasons: [
      ...(crosses.length === 0 ? [] : [texts.value.proposals.crosses({ alerts: raised })]),
      ...unusualReasons(plan, deviceId),
    ],
  };
}

/** The warnings of the plan, except the passed thresholds. */
export function unusualReasons(plan: OperationPlan, deviceId: string): readonly string[] {
  const { reasons } = texts.value.operations.again;
  return plan.warnings.flatMap((warning) => {
    if (warning === 'far_above_usual') return [reasons.farAbove({ usual: usualOf(plan, deviceId) })];
    return warning === 'longer_than_shift' ? [reasons.long({ duration: durationOf(plan) })] : [];
  });
}

const durationOf = ({ estimated_duration }: OperationPlan): string =>
  formatDuration(estimated_duration * MINUTE_MS);

const usualOf = ({ usual_amount, unit }: OperationPlan, deviceId: string): string =>
  usual_amount === null
    ? '–'
    : formatQuantity(usual_amount, unit, locale.value, deviceId, unit === 't' ? 3 : 1);
