import { registerSilos } from './farm.ts';
import { generateMqtt } from './processes.ts';
import { type Finding, median, whole } from './report.ts';
import { startServiceProcess } from './service-process.ts';

const ROUNDS = 5;
const ROUND_MS = 3_000;
const CONNECTIONS = 200;
const WINDOW = 20;
/** Beside the three that every silo has. */
const DECLARED = 21;
const TARGET = 0.25;

const idOf = (number: number): string => `temp_${number}`;
const NUMBERS = Array.from({ length: DECLARED }, (_, index) => index + 1);
const SENSORS = NUMBERS.map((number) => ({
  sensor_id: idOf(number),
  type: 'temperature',
  unit: 'celsius',
  precision: 1,
}));
const VALUES = {
  weight: 12_345.678,
  temperature: 18.25,
  humidity: 55.5,
  sensors: Object.fromEntries(NUMBERS.map((number) => [idOf(number), 10 + number / 10])),
};

/** Compares messages of silos that have 24 sensors with messages of silos that have the usual three. */
export async function measureSensors(dataDir: string): Promise<Finding> {
  const service = await startServiceProcess({ GRANARY_DATA_DIR: dataDir, GRANARY_RATE_LIMIT: 'off' });
  const few: number[] = [];
  const many: number[] = [];
  try {
    const usual = await registerSilos(service, CONNECTIONS);
    const cabled = await registerSilos(service, CONNECTIONS, { prefix: 'cable', sensors: SENSORS });
    const { hostname: host, port } = new URL(service.mqttUrl);
    const load = { host, port: Number(port), window: WINDOW, intervalMs: 0, durationMs: ROUND_MS };
    for (let round = 0; round <= ROUNDS; round++) {
      const three = await generateMqtt({ ...load, devices: usual });
      const twentyFour = await generateMqtt({ ...load, devices: cabled, values: VALUES });
      if (round === 0) continue;
      few.push(three.perSecond);
      many.push(twentyFour.perSecond);
    }
  } finally {
    await service.stop();
  }
  const ratio = median(many.map((perSecond, round) => perSecond / (few[round] ?? Number.NaN)));
  return {
    name: 'Messages with 24 sensors against messages with the three of every silo, 200 connections',
    target: `at least ${TARGET}`,
    figure: `${ratio.toFixed(2)}, ${whole(median(many))} messages/s`,
    met: ratio >= TARGET,
    detail: `three sensors ${whole(median(few))} messages/s; ${whole(median(many) * (DECLARED + 3))} values/s; ${ROUNDS} rounds`,
  };
}
