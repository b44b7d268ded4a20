import { setTimeout as sleep } from 'node:timers/promises';
import { mqttAddress, registerSilos } from './farm.ts';
import { openConnection } from './mqtt-load.ts';
import { type Finding, whole } from './report.ts';
import { residentMiB, SQLITE, startBenchService } from './service-process.ts';

const CONNECTIONS = 5_000;
const OPENED_AT_ONCE = 100;
const SETTLE_MS = 5_000;
const KB_MAX = 20;

/** Measures the memory of connected devices that send nothing. */
export async function measureConnections(dataDir: string): Promise<Finding> {
  const registering = await startBenchService(dataDir, SQLITE);
  const devices = await registerSilos(registering, CONNECTIONS);
  await registering.stop();
  // A new process is free of the memory that the registrations needed.
  const service = await startBenchService(dataDir, SQLITE);
  const sockets: Awaited<ReturnType<typeof openConnection>>[] = [];
  try {
    await sleep(SETTLE_MS);
    const beforeMiB = await residentMiB(service.pid);
    const address = mqttAddress(service);
    while (sockets.length < CONNECTIONS) {
      const next = devices.slice(sockets.length, sockets.length + OPENED_AT_ONCE);
      sockets.push(...(await Promise.all(next.map((device) => openConnection(address, device)))));
    }
    await sleep(SETTLE_MS);
    const afterMiB = await residentMiB(service.pid);
    const kb = ((afterMiB - beforeMiB) * 1_024) / CONNECTIONS;
    return {
      name: 'Memory per idle connection',
      target: `at most ${KB_MAX} KB`,
      figure: `${kb.toFixed(1)} KB`,
      met: kb <= KB_MAX,
      detail: `resident ${whole(beforeMiB)} MiB before and ${whole(afterMiB)} MiB after ${whole(CONNECTIONS)} devices connected, ${SETTLE_MS / 1_000} s after the last one; what opening them left behind is counted`,
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    await service.stop();
  }
}
