import type { Client } from '@granary/client';
import type { DeclaredSensorSummary, SensorDeclaration } from '@granary/contract/devices/sensors';
import { CABLE_RULES, CABLE_SENSORS } from './temperature-cable.ts';

const CABLE_IDS: ReadonlySet<string> = new Set(CABLE_SENSORS.map(({ sensor_id }) => sensor_id));

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
