import { FaultPlanError, parseFaultPlan } from '@granary/simulator/farm/fault-plan';
import { SIMULATED_PROFILES } from '@granary/simulator/profiles/profiles';
import { type FarmEvent, type FarmOptions, HISTORY_DAYS_DEFAULT } from '@granary/simulator/start-farm';
import type { Command } from 'commander';
import { UsageError } from '../program/explain.ts';
import { collect, positiveNumber } from '../program/options.ts';

const INTERVAL_DEFAULT_S = 10;

/** The options that `up` and `simulate` share, as commander stores them. */
export interface FarmValues {
  readonly interval: number;
  readonly fault?: readonly string[];
  readonly history: boolean;
}

export const withFarmOptions = (command: Command): Command =>
  command
    .option(
      '--interval <seconds>',
      'time between two readings of a device at rest',
      positiveNumber,
      INTERVAL_DEFAULT_S,
    )
    .option(
      '--fault <list>',
      'let devices misbehave, e.g. silo-03:link-loss,rover-01:stuck; may be repeated',
      collect,
    )
    .option('--no-history', `do not write a past of ${HISTORY_DAYS_DEFAULT} days on first start`)
    .addHelpText('after', `\n${deviceLists()}\n\nFaults:\n${faultList()}`);

function deviceLists(): string {
  return SIMULATED_PROFILES.map(({ title, devices }) => {
    const lines = devices.map(({ unit: { id, name, facility } }) => `  ${id}  ${name}, ${facility.name}`);
    return `${title.charAt(0).toUpperCase()}${title.slice(1)}:\n${lines.join('\n')}`;
  }).join('\n\n');
}

/** Lists every fault once. A fault that not all devices can have, or that differs between them, is listed with those devices. */
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

type FarmChoices = Required<Pick<FarmOptions, 'profiles' | 'intervalMs' | 'faults' | 'historyDays'>>;

export function farmChoices({ interval, fault, history }: FarmValues): FarmChoices {
  return {
    profiles: SIMULATED_PROFILES,
    intervalMs: interval * 1_000,
    faults: fault === undefined ? new Map() : faultPlan(fault.join(',')),
    historyDays: history ? HISTORY_DAYS_DEFAULT : 0,
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

/** Prints the events of the simulated farm, without a line for every device that connects normally. */
export function createFarmReporter(print: (line: string) => void): (event: FarmEvent) => void {
  const down = new Set<string>();
  const leftOut = new Set<string>();
  /** Each trouble is printed once, because it would otherwise appear every second. */
  const printed = new Set<string>();
  return (event) => {
    switch (event.kind) {
      case 'registered':
        print(
          `farm: registered ${event.devices.map(({ ids, title }) => `${ids.length} ${title}`).join(', ')}`,
        );
        break;
      case 'history':
        print(
          `farm: writing ${event.days} days of history: ${event.devicesDone} of ${event.devicesTotal} devices`,
        );
        break;
      case 'history-failed':
        print(`farm: the history could not be written: ${event.reason}`);
        break;
      case 'trouble': {
        const line = `farm: ${event.deviceId} has trouble: ${event.reason}`;
        if (!printed.has(line)) print(line);
        printed.add(line);
        break;
      }
      case 'left-out':
        leftOut.add(event.deviceId);
        print(`farm: ${event.deviceId} is left out: ${event.reason}`);
        break;
      case 'link':
        if (leftOut.has(event.deviceId)) break;
        if (event.change.state === 'down') {
          down.add(event.deviceId);
          print(`farm: ${event.deviceId} is not connected: ${event.change.reason}`);
        } else if (down.delete(event.deviceId)) {
          print(`farm: ${event.deviceId} is connected again`);
        }
        break;
    }
  };
}
