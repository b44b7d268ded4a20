import { type App, openApp } from '@granary/app/app';
import { DAY_MS } from '@granary/contract/time';
import { initialConfiguration } from '@granary/core/configuration/silo-configuration';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import type { Reading } from '@granary/core/telemetry/readings';

export const YEAR_SILO = 'silo-0001';
export const DEVICES = 1_000;
export const READINGS = 10_000_000;
const SPACING_MS = 10_000;
const YEAR_READINGS = (365 * DAY_MS) / SPACING_MS;
const BATCH = 25_000;

/** Fills a data folder with a thousand silos and ten million readings, a whole year of one silo among them. */
export async function writeLongHistory(
  folder: string,
  endMs: number,
  progress: (share: number) => void,
): Promise<void> {
  const app = await openApp({ engine: 'sqlite', folder });
  try {
    const deviceNos = await register(app);
    const [yearSilo = 0] = deviceNos;
    let batch: Reading[] = [];
    let written = 0;
    const add = async (reading: Reading): Promise<void> => {
      batch.push(reading);
      if (batch.length < BATCH) return;
      await app.telemetry.append({ readings: batch, seen: [], rejections: [] });
      written += batch.length;
      batch = [];
      progress(written / READINGS);
    };
    for (let index = YEAR_READINGS; index > 0; index--)
      await add(reading(yearSilo, endMs - index * SPACING_MS));
    const rest = READINGS - YEAR_READINGS;
    const rounds = Math.ceil(rest / (deviceNos.length - 1));
    for (let round = rounds; round > 0; round--) {
      for (const deviceNo of deviceNos.slice(1)) await add(reading(deviceNo, endMs - round * SPACING_MS));
    }
    await app.telemetry.append({ readings: batch, seen: [], rejections: [] });
  } finally {
    await app.close();
  }
}

/** Weight, temperature and humidity. */
const reading = (deviceNo: number, tsMs: number): Reading => ({
  deviceNo,
  tsMs,
  group: STANDARD_SENSORS.weight.lane.group,
  a: 5_000_000 + Math.round(4_000_000 * Math.sin(tsMs / DAY_MS)),
  b: 15_000 + Math.round(5_000 * Math.sin((tsMs * 2 * Math.PI) / DAY_MS)),
  c: 55_000 + (tsMs % 1_000),
  badMask: 0,
});

async function register(app: App): Promise<number[]> {
  const deviceNos: number[] = [];
  for (let number = 1; number <= DEVICES; number++) {
    const { deviceNo } = await app.devices.register({
      deviceId: `silo-${String(number).padStart(4, '0')}`,
      profile: 'silo_scale',
      name: `Silo ${number}`,
      model: 'GS-100',
      firmwareVersion: '1.0.0',
      facility: `facility-${number % 10}`,
      zone: 'a',
      capacityKg: 10_000,
      secretHash: '',
      registeredAtMs: 0,
      sensorDocument: null,
      configuration: initialConfiguration(0),
    });
    deviceNos.push(deviceNo);
  }
  return deviceNos;
}
