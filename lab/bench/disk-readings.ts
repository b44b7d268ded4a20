import type { App } from '@granary/app/app';
import type { Client } from '@granary/client';
import type { DeviceReading } from '@granary/contract/telemetry/telemetry';
import { DAY_MS } from '@granary/contract/time';
import { initialConfiguration } from '@granary/core/configuration/silo-configuration';
import { type Sensor, SLOTS_PER_GROUP, type Slot } from '@granary/core/sensors/sensor';
import { acceptReading, isFault, type Reading } from '@granary/core/telemetry/readings';
import { SIMULATED_PROFILES } from '@granary/simulator/profiles/profiles';

const END_MS = Math.floor(Date.now() / DAY_MS - 2) * DAY_MS;
const DAYS = 30;

/** Everything that the simulated devices of the demo write about their past, in the order of time. */
export function demoHistory(): Reading[] {
  const client = {} as Client;
  const readings: Reading[] = [];
  const devices = SIMULATED_PROFILES.flatMap((profile) => profile.devices);
  for (const [index, device] of devices.entries()) {
    const deviceNo = index + 1;
    for (const { spacingMs, readingAt } of device.backfills(client)) {
      for (let tsMs = END_MS - DAYS * DAY_MS; tsMs < END_MS; tsMs += spacingMs) {
        readings.push(...stored(deviceNo, readingAt(tsMs) as DeviceReading));
      }
    }
  }
  return readings.sort((one, other) => one.tsMs - other.tsMs);
}

const WINDOW = { oldestMs: 0, newestMs: Number.MAX_SAFE_INTEGER };
/** Larger than every silo of the demo. */
const CAPACITY_KG = 1_000_000;

function stored(deviceNo: number, sent: DeviceReading): Reading[] {
  const declared = declaredFor(sent);
  const accepted = acceptReading({ deviceNo, capacityKg: CAPACITY_KG, declared }, sent, WINDOW);
  if (isFault(accepted)) throw new Error(`a simulated reading is refused: ${accepted.message}`);
  return accepted;
}

const FIRST_DECLARED_GROUP = 100;
const SCALE = 1_000;
const slotOf = (n: number): Slot => [0, 1, 2][n % SLOTS_PER_GROUP] as Slot;

/** The first free lanes, as the service gives them to declared sensors. */
function declaredFor(sent: DeviceReading): Map<string, Sensor> {
  const names = Object.keys(sent.sensors ?? {});
  return new Map(
    names.map((sensorId, n) => {
      const lane = { group: FIRST_DECLARED_GROUP + Math.floor(n / SLOTS_PER_GROUP), slot: slotOf(n) };
      const range = { min: -100, max: 100, reportingIntervalMs: null };
      return [sensorId, { sensorId, type: 'temperature', unit: 'C', scale: SCALE, lane, ...range }];
    }),
  );
}

const SILOS = 100;
const SPACING_MS = 10_000;
const ROUNDS = 5_000;

/** Silos at rest: the weight changes now and then, temperature and humidity slowly. */
export function* slowlyChanging(): Generator<Reading> {
  for (let round = 0; round < ROUNDS; round++) {
    const tsMs = END_MS + (round - ROUNDS) * SPACING_MS;
    for (let deviceNo = 1; deviceNo <= SILOS; deviceNo++) {
      const phase = round / 600 + deviceNo;
      yield {
        deviceNo,
        tsMs: tsMs + ((deviceNo * 97) % SPACING_MS),
        group: 1,
        badMask: 0,
        a: 5_000_000 + 1_000 * Math.floor(round / (100 + deviceNo)),
        b: 15_000 + 100 * Math.round(30 * Math.sin(phase)),
        c: 55_000 + 100 * Math.round(50 * Math.cos(phase)),
      };
    }
  }
}

/** Registers the devices of these readings that the service does not have yet, in the order of their numbers. */
export async function registerSeries(app: App, readings: readonly Reading[]): Promise<void> {
  const highest = Math.max(0, ...readings.map(({ deviceNo }) => deviceNo));
  for (let number = 1; number <= highest; number++) {
    const deviceId = `disk-${number}`;
    if ((await app.devices.find(deviceId)) !== undefined) continue;
    await app.devices.register({
      deviceId,
      profile: 'silo_scale',
      name: deviceId,
      model: 'GS-100',
      firmwareVersion: '1.0.0',
      facility: 'north',
      zone: 'a',
      capacityKg: CAPACITY_KG,
      secretHash: '',
      registeredAtMs: 0,
      sensorDocument: null,
      configuration: initialConfiguration(0),
    });
  }
}
