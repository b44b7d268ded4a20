import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { type DeclaredUnitsOf, REPORTED_DEVICES_MAX } from '@granary/contract/bridges';
import type { SensorDeclaration } from '@granary/contract/devices/sensors';
import type { Mapping } from '../mapping/mapping.ts';
import { declarationsOf } from '../site/declarations.ts';
import { writePrivately } from '../site/secrets.ts';

/** A sensor whose values would be stored with a wrong unit. */
export interface OtherUnit {
  readonly sensor: string;
  readonly declared: string;
  readonly given: string;
}

/**
 * The units that sensors were declared with at the service. They are kept on disk, because a mapping that gives another one must also
 * be noticed while the service is away: what is in the journal does not say its unit.
 */
export class DeclaredUnits {
  readonly #file: string;
  readonly #units: Map<string, DeclaredUnitsOf>;
  /** Devices about which the service has not been asked since they were read from the site file. */
  #unasked: ReadonlySet<string> = new Set();
  /** Whether something is known that is not on disk. */
  #isChanged = false;

  private constructor(file: string, units: Map<string, DeclaredUnitsOf>) {
    this.#file = file;
    this.#units = units;
  }

  /** A file that cannot be read is as good as none: the service is asked anyway. */
  static async read(file: string): Promise<DeclaredUnits> {
    const text = await readFile(file, 'utf8').catch(() => '{}');
    let stored: unknown = null;
    try {
      stored = JSON.parse(text);
    } catch {
      // As if there were none.
    }
    const entries = stored !== null && typeof stored === 'object' ? Object.entries(stored) : [];
    return new DeclaredUnits(
      file,
      new Map(entries.filter(([, units]) => units !== null && typeof units === 'object')),
    );
  }

  /** Only sensors that are declared can have another unit. */
  ask(devices: readonly { readonly id: string; readonly mapping: Mapping }[]): void {
    const asked = devices.filter(({ mapping }) => declarationsOf(mapping).length > 0);
    this.#unasked = new Set(asked.map(({ id }) => id));
  }

  /** For one report. */
  get unasked(): string[] {
    return [...this.#unasked].slice(0, REPORTED_DEVICES_MAX);
  }

  /** The answer of the service; devices that it does not have are missing in it. */
  async learn(asked: readonly string[], answer: Readonly<Record<string, DeclaredUnitsOf>>): Promise<void> {
    this.#unasked = new Set([...this.#unasked].filter((deviceId) => !asked.includes(deviceId)));
    for (const deviceId of asked) {
      const units = Object.hasOwn(answer, deviceId) ? answer[deviceId] : undefined;
      if (isDeepStrictEqual(this.#units.get(deviceId), units)) continue;
      this.#isChanged = true;
      if (units === undefined) this.#units.delete(deviceId);
      else this.#units.set(deviceId, units);
    }
    // Thousands of devices are asked about in several reports, and written once.
    if (!this.#isChanged || this.#unasked.size > 0) return;
    this.#isChanged = false;
    await writePrivately(this.#file, `${JSON.stringify(Object.fromEntries(this.#units))}\n`);
  }

  otherUnitsOf(deviceId: string, mapping: Mapping): OtherUnit[] {
    return otherUnits(this.#units.get(deviceId) ?? {}, declarationsOf(mapping));
  }
}

export const otherUnits = (
  units: DeclaredUnitsOf,
  declarations: readonly Pick<SensorDeclaration, 'sensor_id' | 'unit'>[],
): OtherUnit[] =>
  declarations.flatMap(({ sensor_id: sensor, unit: given }) => {
    const declared = Object.hasOwn(units, sensor) ? units[sensor] : undefined;
    return declared === undefined || declared === given ? [] : [{ sensor, declared, given }];
  });

/** Says what to do about it; empty if there is none. */
export function otherUnitText(others: readonly OtherUnit[]): string {
  const [first] = others;
  if (first === undefined) return '';
  const { sensor, declared, given } = first;
  const more = others.length === 1 ? '' : `, and ${others.length - 1} more`;
  return `${sensor} is declared in ${declared}, and the mapping gives ${given}${more}; write "convert: ${declared}" in the mapping, or let it fill a new sensor`;
}
