import type { DeviceModel } from '../device/device.ts';
import { type Placed, type WeatherReading, weatherAt } from './weather.ts';

/** Measures the weather, and takes no commands. */
export class WeatherModel implements DeviceModel<WeatherReading> {
  readonly hasPower = true;
  readonly runMs = null;
  readonly #station: Placed;
  #nowMs: number;
  #measuredMs: number;

  constructor(station: Placed, nowMs: number) {
    this.#station = station;
    this.#nowMs = nowMs;
    this.#measuredMs = nowMs;
  }

  isBusy = (): boolean => false;
  endsInMs = (): null => null;
  obey = (): boolean => false;
  report = (): void => undefined;
  keep = async (): Promise<void> => undefined;

  advanceTo(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  measure(): WeatherReading {
    const sinceMs = this.#measuredMs;
    this.#measuredMs = this.#nowMs;
    return weatherAt(this.#station, this.#nowMs, sinceMs);
  }
}
