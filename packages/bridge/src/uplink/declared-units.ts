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
 * The declared units of sensors at the service. They are stored on disk, because a mapping with another unit must be noticed
 * even while the service is not reachable: the readings in the journal have no unit.
 */
export class DeclaredUnits {
  readonly #file: string;
  readonly #units: Map<string, DeclaredUnitsOf>;
  /** The devices whose units have not been requested since they were read from the site file. */
  #unasked: ReadonlySet<string> = new Set();
  /** True if some data are not on disk yet. */
  #isChanged = false;

  private constructor(file: string, units: Map<string, DeclaredUnitsOf>) {
    this.#file = file;
    this.#units = units;
  }

  /** Reads the stored units. A file that cannot be read counts as empty, because the service is asked anyway. */
  static async read(file: string): Promise<DeclaredUnits> {
    const text = await readFile(file, 'utf8').catch(() => '{}');
    let stored: unknown = null;
    try {
      stored = JSON.parse(text);
    } catch {
      // The file counts as empty.
    }
    const entries = stored !== null && typeof stored === 'object' ? Object.entries(stored) : [];
    return new DeclaredUnits(
      file,
      new Map(entries.filter(([, units]) => units !== null && typeof units === 'object')),
    );
  }

  /** Selects the devices to ask about; only declared sensors can have another unit. */
  ask(devices: readonly { readonly id: string; readonly mapping: Mapping }[]): void {
    const asked = devices.filter(({ mapping }) => declarationsOf(mapping).length > 0);
    this.#unasked = new Set(asked.map(({ id }) => id));
  }

  /** The devices to ask about in one report. */
  get unasked(): string[] {
    return [...this.#unasked].slice(0, REPORTED_DEVICES_MAX);
  }

  /** Stores the answer of the service; devices that the service does not have are missing in it. */
  async learn(asked: readonly string[], answer: Readonly<Record<string, DeclaredUnitsOf>>): Promise<void> {
    this.#unasked = new Set([...this.#unasked].filter((deviceId) => !asked.includes(deviceId)));
    for (const deviceId of asked) {
      const units = Object.hasOwn(answer, deviceId) ? answer[deviceId] : undefined;
      if (isDeepStrictEqual(this.#units.get(deviceId), units)) continue;
      this.#isChanged = true;
      if (units === undefined) this.#units.delete(deviceId);
      else this.#units.set(deviceId, units);
    }
    // Thousands of devices are asked about in several reports, and stored with one write.
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

/** Returns a text that tells what to do about other units; it is empty if there are none. */
export function otherUnitText(others: readonly OtherUnit[]): string {
  const [first] = others;
  if (first === undefined) return '';
  const { sensor, declared, given } = first;
  const more = others.length === 1 ? '' : `, and ${others.length - 1} more`;
  return `${sensor} is declared in ${declared}, and the mapping gives ${given}${more}; write "convert: ${declared}" in the mapping, or let it fill a new sensor`;
}
