import { join } from 'node:path';
import { FaultPlanError, parseFaultPlan } from '@granary/simulator/farm/fault-plan';
import { SIMULATED_PROFILES } from '@granary/simulator/profiles/profiles';
import { type FarmOptions, HISTORY_DAYS_DEFAULT } from '@granary/simulator/start-farm';
import { positiveNumber, UsageError } from './command.ts';

/** The options that `demo` and `simulate` share. */
export const FARM_OPTIONS = {
  interval: { type: 'string', default: '10' },
  fault: { type: 'string', multiple: true },
  'no-history': { type: 'boolean', default: false },
} as const;

export const FARM_HELP = `  --interval <seconds>   time between two readings of a device at rest (10)
  --fault <list>         let devices misbehave, e.g. silo-03:link-loss,rover-01:stuck; may be repeated
  --no-history           do not write a past of ${HISTORY_DAYS_DEFAULT} days on first start

${deviceLists()}

Faults:
${faultList()}`;

function deviceLists(): string {
  return SIMULATED_PROFILES.map(({ title, devices }) => {
    const lines = devices.map(({ unit: { id, name, facility } }) => `  ${id}  ${name}, ${facility.name}`);
    return `${title.charAt(0).toUpperCase()}${title.slice(1)}:\n${lines.join('\n')}`;
  }).join('\n\n');
}

/** Every fault once; one that not all devices can have, or that differs between them, with the devices that can have it. */
function faultList(): string {
  const titles = new Map<string, string[]>();
  const nameLength = Math.max(
    ...SIMULATED_PROFILES.flatMap(({ faults }) => Object.keys(faults).map(({ length }) => length)),
  );
  for (const { title, faults } of SIMULATED_PROFILES) {
    for (const [name, meaning] of Object.entries(faults)) {
      const line = `  ${name.padEnd(nameLength)} ${meaning}`;
      titles.set(line, [...(titles.get(line) ?? []), title]);
    }
  }
  return [...titles]
    .map(([line, of]) => (of.length === SIMULATED_PROFILES.length ? line : `${line} (${of.join(', ')})`))
    .join('\n');
}

interface FarmValues {
  readonly interval: string;
  readonly fault?: string[] | undefined;
  readonly 'no-history': boolean;
}

type FarmChoices = Required<Pick<FarmOptions, 'profiles' | 'intervalMs' | 'faults' | 'historyDays'>>;

export function farmChoices(values: FarmValues): FarmChoices {
  return {
    profiles: SIMULATED_PROFILES,
    intervalMs: positiveNumber(values.interval, '--interval') * 1_000,
    faults: values.fault === undefined ? new Map() : faultPlan(values.fault.join(',')),
    historyDays: values['no-history'] ? 0 : HISTORY_DAYS_DEFAULT,
  };
}

function faultPlan(text: string): FarmChoices['faults'] {
  try {
    return parseFaultPlan(text, SIMULATED_PROFILES);
  } catch (cause) {
    if (!(cause instanceof FaultPlanError)) throw cause;
    throw new UsageError(`--fault: ${cause.message}`, { cause });
  }
}

export const farmCredentialsFile = (dataDir: string): string => join(dataDir, 'farm-credentials.json');
