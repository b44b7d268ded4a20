import { Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';
import type { Applied } from '@granary/contract/site/apply';
import type { SiteDocument } from '@granary/contract/site/site-document';
import { differenceLine } from './differences.ts';
import { type PlannedDevice, planDevice } from './plan-device.ts';
import { issuesAt, refusalOr } from './refusal-issues.ts';
import type { DescribedDevice } from './site-device.ts';

/** In the order of the document. */
export interface SitePlan {
  readonly devices: readonly PlannedDevice[];
}

/** Plans the whole document, or refuses it with every fault that was found. */
export function planSite(
  { devices = [] }: SiteDocument,
  known: ReadonlyMap<string, DescribedDevice>,
  nowMs: number,
): SitePlan {
  const faults: ValidationIssue[] = [];
  const planned = devices.flatMap((wanted, index) => {
    const plan = refusalOr(() => planDevice(wanted, known.get(wanted.device_id) ?? null, nowMs));
    if (!(plan instanceof Refusal)) return [plan];
    faults.push(...issuesAt(`/devices/${index}`, plan));
    return [];
  });
  const [first] = faults;
  if (first === undefined) return { devices: planned };
  const message = `the document cannot be applied, nothing was changed: ${first.path} ${first.message}`;
  throw new Refusal('apply_refused', message, faults);
}

/** The answer about a plan, without the secrets of created devices. */
export function appliedRecord({ devices }: SitePlan, isDryRun: boolean): Omit<Applied, 'credentials'> {
  const count = (wanted: PlannedDevice['action']) => devices.filter(({ action }) => action === wanted).length;
  return {
    dry_run: isDryRun,
    ...{ created: count('create'), updated: count('update'), unchanged: count('unchanged') },
    changes: devices.map(({ after, action, differences }, index) => ({
      ...{ path: `/devices/${index}`, id: after.deviceId, action },
      differences: [...differences],
    })),
    text: devices.flatMap(({ after, action, differences }) =>
      action === 'create'
        ? [`+ ${after.deviceId} (${after.profile}, ${after.name})`]
        : differences.map((difference) => differenceLine(after.deviceId, difference)),
    ),
  };
}
