import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { MosquittoBroker } from '@granary/testing/link/mosquitto-broker';
import { connectAsync } from 'mqtt';
import { ensureProgram, MOSQUITTO } from '../outside-programs.ts';
import type { BridgeFigures } from './bridge-messages-process.ts';
import { type Finding, whole } from './report.ts';
import { residentMiB } from './service-process.ts';

const DEVICES = 5_000;
const EVERY_S = 10;
const SECONDS = 60;
const TURN_MS = 100;
const CORE_MAX = 0.5;
const MIB_MAX = 250;

/**
 * Devices that speak JSON over one broker, read by the driver of the bridge in a process of its own: every message must become
 * a sample.
 */
export async function measureBridgeMessages(): Promise<Finding> {
  await ensureProgram(MOSQUITTO);
  const broker = await MosquittoBroker.start();
  const child = fork(new URL('./bridge-messages-process.ts', import.meta.url), [broker.url, String(DEVICES)]);
  try {
    await once(child, 'message');
    const publisher = await connectAsync(broker.url);
    const before = await figuresOf(child);
    const startedMs = performance.now();
    let sent = 0;
    while (performance.now() - startedMs < SECONDS * 1_000) {
      const due = Math.floor(((performance.now() - startedMs) / 1_000) * (DEVICES / EVERY_S));
      for (; sent < due; sent++) {
        const payload = JSON.stringify({
          at: new Date().toISOString(),
          status: 'ok',
          scale: { kilograms: sent % 50_000 },
          temperature: 21.5,
        });
        publisher.publish(`sensors/device-${sent % DEVICES}/state`, payload, { qos: 1 });
      }
      await sleep(TURN_MS);
    }
    await sleep(1_000);
    const after = await figuresOf(child);
    const mib = await residentMiB(child.pid ?? 0);
    await publisher.endAsync(true);
    const core = (after.cpuS - before.cpuS) / ((performance.now() - startedMs) / 1_000);
    const lost = sent - after.samples;
    return {
      name: `Bridge: ${whole(DEVICES)} devices that speak JSON over MQTT, one message every ${EVERY_S} s each`,
      target: `every message a sample, at most ${CORE_MAX} of a core and ${MIB_MAX} MiB`,
      figure: `${lost} lost of ${whole(sent)}, ${core.toFixed(2)} of a core, ${whole(mib)} MiB`,
      met: lost === 0 && core <= CORE_MAX && mib <= MIB_MAX,
      detail: `one process with the driver, without the sessions of the devices at the service; one connection to a Mosquitto, ${whole(DEVICES)} subscriptions; a sample is at the uplink ${after.delayMs.p99} ms (p99) after its message was made`,
    };
  } finally {
    child.kill('SIGKILL');
    await broker.remove();
  }
}

async function figuresOf(child: ChildProcess): Promise<BridgeFigures> {
  child.send('figures');
  const [figures] = (await once(child, 'message')) as [BridgeFigures];
  return figures;
}
