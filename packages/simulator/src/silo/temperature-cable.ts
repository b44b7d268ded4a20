import type { Client } from '@granary/client';
import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import type { DeclaredSensorSummary, SensorDeclaration } from '@granary/contract/devices/sensors';
import { DAY_MS } from '@granary/contract/time';
import { type Exposed, seasonalC, temperatureCAt } from '../physics/climate.ts';
import { chance, jitter, round, wander } from '../physics/numbers.ts';
import type { SiloBody } from './silo-body.ts';

/** Grain conducts heat badly: inside it the seasons arrive weeks later, and the weather not at all. */
const SEASON_DELAY_MS = 25 * DAY_MS;
const LAYER_C = 1.2;
const LAYER_MS = 8 * DAY_MS;
const LAYERS = 3;
/** The depth, as a share of the height of the silo, at which about a third of the air's influence is left. */
const AIR_DEPTH = 0.06;
/**
 * The period of hot spots: a damp spot heats up for days and cools again, each time at another height. Without a fan, grain
 * does not cool by a degree a day.
 */
const HOT_SPOT_PERIOD_MS = 28 * DAY_MS;
const HOT_SPOT_LIFE_MS = 24 * DAY_MS;
const HOT_SPOT_C_MIN = 3;
const HOT_SPOT_C_SPREAD = 3;
const HOT_SPOT_HEIGHT_MIN = 0.12;
const HOT_SPOT_HEIGHT_SPREAD = 0.2;
const HOT_SPOT_RADIUS = 0.09;
const POINTS = 12;
const PRECISION = 1;
const NOISE_C = 0.1;

/** The points of a cable that hangs from the roof to the floor; point 1 is the lowest. */
export const CABLE_SENSORS: readonly SensorDeclaration[] = Array.from({ length: POINTS }, (_, index) => ({
  sensor_id: `temp_${index + 1}`,
  type: 'temperature',
  unit: 'celsius',
  precision: PRECISION,
  min: -40,
  max: 80,
  position: { cable: 1, point: index + 1, height_m: index + 0.5 },
}));
const CABLE_IDS: ReadonlySet<string> = new Set(CABLE_SENSORS.map(({ sensor_id }) => sensor_id));

/** Grain that heats up spoils, and can catch fire. */
export const CABLE_RULES: readonly ThresholdRule[] = CABLE_SENSORS.flatMap(({ sensor_id }, index) => {
  const rule = { sensor_id, dead_band: 1, message: `The grain heats up at point ${index + 1}` };
  return [
    { ...rule, above: 30, severity: 'warning' },
    { ...rule, above: 38, severity: 'critical', on_delay_s: 60 },
  ];
});

/** The temperatures of all points by sensor id. */
export function measureCable(
  silo: Exposed & { readonly capacityKg: number },
  { timeMs, weightKg }: SiloBody,
): Readonly<Record<string, number>> {
  const level = weightKg / silo.capacityKg;
  const measured = CABLE_SENSORS.map(({ sensor_id }, index) => {
    const grainC = grainTemperatureC(silo, (index + 0.5) / POINTS, level, timeMs);
    const noiseC = NOISE_C * jitter(`${silo.id} ${sensor_id}`, timeMs);
    return [sensor_id, round(grainC + noiseC, 10 ** -PRECISION)] as const;
  });
  return Object.fromEntries(measured);
}

/**
 * Returns the temperature at a height. The height and the level of the grain are shares of the height of the silo; above the
 * grain, the temperature is that of the air.
 */
function grainTemperatureC(exposed: Exposed, height: number, level: number, timeMs: number): number {
  const airC = temperatureCAt(exposed, timeMs);
  const depth = level - height;
  if (depth <= 0) return airC;
  const layerC = LAYER_C * wander(`${exposed.id} layer`, timeMs / LAYER_MS + LAYERS * height);
  const insideC =
    seasonalC(exposed.facility, timeMs - SEASON_DELAY_MS) + layerC + hotSpotC(exposed, height, timeMs);
  return insideC + (airC - insideC) * Math.exp(-depth / AIR_DEPTH);
}

function hotSpotC({ id }: Exposed, height: number, timeMs: number): number {
  const period = Math.floor(timeMs / HOT_SPOT_PERIOD_MS);
  const ageMs = timeMs - period * HOT_SPOT_PERIOD_MS;
  if (ageMs >= HOT_SPOT_LIFE_MS) return 0;
  const maxC = HOT_SPOT_C_MIN + HOT_SPOT_C_SPREAD * chance(`${id} hot spot`, period, 1);
  const middle = HOT_SPOT_HEIGHT_MIN + HOT_SPOT_HEIGHT_SPREAD * chance(`${id} hot spot`, period, 2);
  const distance = (height - middle) / HOT_SPOT_RADIUS;
  return maxC * Math.sin((Math.PI * ageMs) / HOT_SPOT_LIFE_MS) ** 2 * Math.exp(-(distance ** 2));
}

/** Declares the cable for a silo that was registered without it; a silo that has it, or parts of it, is left as it is. */
export async function addMissingCable(client: Client, siloId: string): Promise<void> {
  const { sensors } = await client.devices.silo.get(siloId);
  const declared = sensors.filter((sensor) => 'unit' in sensor);
  if (declared.some(({ sensor_id }) => CABLE_IDS.has(sensor_id))) return;
  await client.devices.silo.update(siloId, {
    sensors: [...declared.map(declarationOf), ...CABLE_SENSORS],
  });
  await addCableRules(client, siloId);
}

export async function addCableRules(client: Client, siloId: string): Promise<void> {
  const { configuration } = await client.configuration.silo.get(siloId);
  const others = configuration.rules.filter(({ sensor_id }) => !CABLE_IDS.has(sensor_id));
  await client.configuration.silo.update(siloId, { rules: [...others, ...CABLE_RULES] });
}

const declarationOf = ({
  status,
  reporting_interval_s,
  ...declaration
}: DeclaredSensorSummary): SensorDeclaration =>
  reporting_interval_s === null ? declaration : { ...declaration, reporting_interval_s };
