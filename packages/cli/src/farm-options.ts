import { join } from 'node:path';
import type { DeviceGroup } from '@granary/contract/devices/groups';
import { SILOS } from '@granary/simulator/farm/farm';
import { FAULTS } from '@granary/simulator/faults/fault';
import { FaultPlanError, parseFaultPlan } from '@granary/simulator/faults/plan';
import { FIELD_UNITS } from '@granary/simulator/field/fleet';
import { type FarmOptions, HISTORY_DAYS_DEFAULT } from '@granary/simulator/start-farm';
import { positiveNumber, UsageError } from './command.ts';

const KINDS = new Map<string, DeviceGroup>([
  ...SILOS.map(({ id }) => [id, 'silo'] as const),
  ...FIELD_UNITS.map(({ id }) => [id, 'field'] as const),
]);

const FAULT_MEANINGS: readonly (readonly [name: string, meaning: string])[] = Object.entries({
  ...FAULTS.silo,
  ...FAULTS.field,
}).map(([name, meaning]) => [name, `${meaning}${restriction(name)}`]);
const NAME_LENGTH = Math.max(...FAULT_MEANINGS.map(([{ length }]) => length));

function restriction(name: string): string {
  if (!(name in FAULTS.field)) return ' (silos)';
  return name in FAULTS.silo ? '' : ' (field devices)';
}

/** The options that `demo` and `simulate` share. */
export const FARM_OPTIONS = {
  interval: { type: 'string', default: '10' },
  fault: { type: 'string', multiple: true },
  'no-history': { type: 'boolean', default: false },
} as const;

export const FARM_HELP = `  --interval <seconds>   time between two readings of a device at rest (10)
  --fault <list>         let devices misbehave, e.g. silo-03:link-loss,rover-01:stuck; may be repeated
  --no-history           do not write a past of ${HISTORY_DAYS_DEFAULT} days on first start

Silos:
${SILOS.map(({ id, name, facility }) => `  ${id}  ${name}, ${facility.name}`).join('\n')}

Field devices:
${FIELD_UNITS.map(({ id, name, facility }) => `  ${id}  ${name}, ${facility.name}`).join('\n')}

Faults:
${FAULT_MEANINGS.map(([name, meaning]) => `  ${name.padEnd(NAME_LENGTH)} ${meaning}`).join('\n')}`;

interface FarmValues {
  readonly interval: string;
  readonly fault?: string[] | undefined;
  readonly 'no-history': boolean;
}

type FarmChoices = Required<Pick<FarmOptions, 'intervalMs' | 'faults' | 'historyDays'>>;

export function farmChoices(values: FarmValues): FarmChoices {
  return {
    intervalMs: positiveNumber(values.interval, '--interval') * 1_000,
    faults: values.fault === undefined ? new Map() : faultPlan(values.fault.join(',')),
    historyDays: values['no-history'] ? 0 : HISTORY_DAYS_DEFAULT,
  };
}

function faultPlan(text: string): FarmChoices['faults'] {
  try {
    return parseFaultPlan(text, KINDS);
  } catch (cause) {
    if (!(cause instanceof FaultPlanError)) throw cause;
    throw new UsageError(`--fault: ${cause.message}`, { cause });
  }
}

export const farmCredentialsFile = (dataDir: string): string => join(dataDir, 'farm-credentials.json');
