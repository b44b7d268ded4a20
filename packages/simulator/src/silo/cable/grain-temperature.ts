import { DAY_MS } from '@granary/contract/time';
import { type Exposed, seasonalC, temperatureCAt } from '../../physics/climate.ts';
import { chance, wander } from '../../physics/random.ts';

/** Grain conducts heat badly: inside it the seasons arrive weeks later, and the weather not at all. */
const SEASON_DELAY_MS = 25 * DAY_MS;
const LAYER_C = 1.2;
const LAYER_MS = 8 * DAY_MS;
const LAYERS = 3;

/** The depth, as a share of the height of the silo, at which about a third of the air's influence is left. */
const AIR_DEPTH = 0.06;

/** A damp spot heats up for some days and cools again, at another height each time. */
const HOT_SPOT_PERIOD_MS = 14 * DAY_MS;
const HOT_SPOT_LIFE_MS = 12 * DAY_MS;
const HOT_SPOT_C_MIN = 3;
const HOT_SPOT_C_SPREAD = 3;
const HOT_SPOT_HEIGHT_MIN = 0.12;
const HOT_SPOT_HEIGHT_SPREAD = 0.2;
const HOT_SPOT_RADIUS = 0.09;

/** Heights and the level of the grain are shares of the height of the silo. Above the grain it is as warm as the air. */
export function grainTemperatureC(exposed: Exposed, height: number, level: number, timeMs: number): number {
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
