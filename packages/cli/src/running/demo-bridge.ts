import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@granary/client';
import { isSimulated, SIMULATED } from '@granary/contract/devices/label-match';
import { BridgeProcess } from '@granary/server/background/bridge-process';
import type { Started } from '@granary/server/compose';
import { createLogger, isReadableFormat } from '@granary/server/process/logging/logger';
import type { Settings } from '@granary/server/process/settings';
import { RADIO_ADDRESS, SCALE_MAPPING, startBridgePeers } from '@granary/simulator/bridge-peers';
import { demoFiles } from './demo-files.ts';
import type { Stop } from './until-signal.ts';

export const DEMO_BRIDGE_ID = 'demo';
const FACILITY = 'Mill';
/** The mode of all files in the data folder. */
const OWNER_ONLY = { mode: 0o600 };

/** A small bridge beside the farm, with simulated devices of other manufacturers. */
export interface DemoBridge {
  /** Registers the devices of the bridge, and runs it as the service would. A device with the same id that somebody else registered is left alone. */
  start(started: Started, settings: Settings): Promise<Stop>;
  /** Ends the bridge and the simulated devices. */
  readonly stop: Stop;
}

export async function prepareDemoBridge(dataDir: string): Promise<DemoBridge> {
  const { bridgeFolder: folder } = demoFiles(dataDir);
  const siteFile = join(folder, 'site.yaml');
  const pushPort = await freePort();
  const peers = await startBridgePeers({ pushUrl: `http://127.0.0.1:${pushPort}`, now: Date.now });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'demo-scale.yaml'), SCALE_MAPPING, OWNER_ONLY);
  await writeFile(siteFile, siteText(peers.scalePort, pushPort), OWNER_ONLY);
  let bridge: BridgeProcess | null = null;
  const end = async () => await bridge?.stop();
  return {
    start: async (started, { logLevel, logFormat }) => {
      await adoptDevices(siteFile, started);
      const { httpUrl, mqttUrl } = started;
      const logger = createLogger(logLevel, isReadableFormat(logFormat));
      bridge = new BridgeProcess({ siteFile, httpUrl, mqttUrl, logger });
      bridge.start();
      return end;
    },
    stop: async () => {
      await end();
      await peers.stop();
    },
  };
}

async function adoptDevices(siteFile: string, { httpUrl, adminKey }: Started): Promise<void> {
  const [{ adopt }, { deviceFaults }, { readSite }] = await Promise.all([
    import('@granary/bridge/adopt'),
    import('@granary/bridge/drivers/drivers'),
    import('@granary/bridge/site/site-file'),
  ]);
  const { site, faults } = await readSite(siteFile, deviceFaults);
  if (site === null) throw new Error(`the site file of the demo is faulty: ${faults[0]?.message}`);
  const client = createClient({ baseUrl: httpUrl, apiKey: adminKey.key });
  const known = await Array.fromAsync(client.fleet.devicesAll());
  const real = new Set(known.filter((device) => !isSimulated(device)).map(({ device_id }) => device_id));
  const devices = site.devices.filter(({ entry }) => !real.has(entry.id));
  for await (const _ of adopt({ ...site, devices }, client, { isDryRun: false, takesOver: true }));
}

const LABELS = JSON.stringify(SIMULATED);

/** The site file is written at each start, because the ports of the simulated devices differ. */
const siteText = (scalePort: number, pushPort: number): string => `# The bridge of the demo: docs/bridges.md
bridge: {id: ${DEMO_BRIDGE_ID}}
mappings: [demo-scale.yaml]
devices:
  - {id: scale-01, mapping: demo-scale, endpoint: "tcp://127.0.0.1:${scalePort}", unit: 1, name: Modbus scale, labels: ${LABELS}, facility: ${FACILITY}, zone: Intake, capacity: 20000}
  - {id: level-01, mapping: milesight-em400, endpoint: "listen://127.0.0.1:${pushPort}/lorawan", name: LoRaWAN level sensor, profile: silo_scale, labels: ${LABELS}, facility: ${FACILITY}, zone: Store, capacity: 30000, options: {network: chirpstack, address: "${RADIO_ADDRESS}"}}
  - {id: weather-ecowitt, mapping: ecowitt, endpoint: "listen://127.0.0.1:${pushPort}/ecowitt", name: Ecowitt station, labels: ${LABELS}, facility: ${FACILITY}, zone: Yard}
`;

async function freePort(): Promise<number> {
  const server = createServer();
  return await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
