import { join } from 'node:path';
import { SILOS } from '@granary/simulator/farm';
import { FAULTS } from '@granary/simulator/faults/fault';
import { FaultPlanError, parseFaultPlan } from '@granary/simulator/faults/plan';
import { type FarmOptions, HISTORY_DAYS_DEFAULT } from '@granary/simulator/start-farm';
import { positiveNumber, UsageError } from './command.ts';

const FAULT_NAME_LENGTH = Math.max(...Object.keys(FAULTS).map(({ length }) => length));

/** The options that `demo` and `simulate` share. */
export const FARM_OPTIONS = {
  interval: { type: 'string', default: '10' },
  fault: { type: 'string', multiple: true },
  'no-history': { type: 'boolean', default: false },
} as const;

export const FARM_HELP = `  --interval <seconds>   time between two readings of a silo (10)
  --fault <list>         let silos misbehave, e.g. silo-03:link-loss,silo-04:stuck; may be repeated
  --no-history           do not write a past of ${HISTORY_DAYS_DEFAULT} days on first start

Silos:
${SILOS.map(({ id, name, facility }) => `  ${id}  ${name}, ${facility.name}`).join('\n')}

Faults:
${Object.entries(FAULTS)
  .map(([name, meaning]) => `  ${name.padEnd(FAULT_NAME_LENGTH)} ${meaning}`)
  .join('\n')}`;

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
    return parseFaultPlan(
      text,
      SILOS.map(({ id }) => id),
    );
  } catch (cause) {
    if (!(cause instanceof FaultPlanError)) throw cause;
    throw new UsageError(`--fault: ${cause.message}`, { cause });
  }
}

export const farmCredentialsFile = (dataDir: string): string => join(dataDir, 'farm-credentials.json');
