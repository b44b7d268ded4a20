import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttachedDevice, Sample } from '@granary/bridge/drivers/driver';
import { endpointGroup } from '@granary/bridge/drivers/drivers';
import { makeDriver as makeHttpDriver } from '@granary/bridge/drivers/http/http-driver';
import { makeDriver as makeMqttDriver } from '@granary/bridge/drivers/mqtt/mqtt-driver';
import { readMapping } from '@granary/bridge/mapping/read-mapping';
import { freePort } from '@granary/testing/free-port';
import { MosquittoBroker } from '@granary/testing/link/mosquitto-broker';
import { command } from './outside-validators.ts';

const PATIENCE_MS = 60_000;

/** A flow in which Node-RED, every half second, publishes a document over MQTT and posts one over HTTP. */
const flowOf = (brokerPort: number, postUrl: string) => [
  { id: 'tab', type: 'tab', label: 'scale' },
  {
    id: 'broker',
    type: 'mqtt-broker',
    broker: '127.0.0.1',
    port: String(brokerPort),
    clientid: '',
    keepalive: '60',
    cleansession: true,
  },
  inject('every-1', { scale: { kg: 1234.5 }, unit: 'kg' }, 'out'),
  {
    id: 'out',
    type: 'mqtt out',
    z: 'tab',
    topic: 'node-red/scale-1',
    qos: '1',
    retain: 'false',
    broker: 'broker',
    wires: [],
  },
  inject('every-2', { scale: { kg: 77 } }, 'post'),
  { id: 'post', type: 'http request', z: 'tab', method: 'POST', ret: 'txt', url: postUrl, wires: [[]] },
];

const inject = (id: string, payload: object, to: string) => ({
  id,
  type: 'inject',
  z: 'tab',
  props: [{ p: 'payload' }],
  repeat: '0.5',
  once: true,
  onceDelay: '0.1',
  payload: JSON.stringify(payload),
  payloadType: 'json',
  wires: [[to]],
});

const mappingText = (protocol: string): string => `
mapping: node-red
version: 1
title: A flow
source: this check
evidence: peer
protocol: ${protocol}
defaults: {topic: "node-red/{address}"}
points:
  weight: {pointer: /scale/kg, unit: kg, sensor: weight}
`;

function attached(id: string, protocol: string, endpoint: string): AttachedDevice {
  const outcome = readMapping(mappingText(protocol));
  if ('faults' in outcome) throw new Error(JSON.stringify(outcome.faults));
  return { id, mapping: outcome.mapping, endpoint, unit: null, options: { address: 'scale-1' } };
}

/** The bridge reads a flow of Node-RED, a foreign program, over MQTT and over HTTP. */
export async function readNodeRed(): Promise<string[]> {
  const broker = await MosquittoBroker.start();
  const folder = await mkdtemp(join(tmpdir(), 'granary-node-red-'));
  const [port, uiPort] = [await freePort(), await freePort()];
  const endpoint = `listen://127.0.0.1:${port}/scale`;
  const found = new Map<string, number | null>();
  const events = {
    sample: ({ deviceId, values }: Sample) => void found.set(deviceId, values[0]?.value ?? null),
    failed: () => undefined,
  };
  const parts = { now: Date.now, credentials: () => null, log: () => undefined };
  const drivers = [
    makeMqttDriver([attached('mqtt', 'mqtt', endpointGroup(broker.url))], events, parts),
    makeHttpDriver([attached('http', 'http', endpoint)], events, parts),
  ];
  for (const driver of drivers) await driver.start();
  await writeFile(
    join(folder, 'flows.json'),
    JSON.stringify(flowOf(broker.access.port, `http://127.0.0.1:${port}/scale`)),
  );
  await writeFile(
    join(folder, 'settings.js'),
    `module.exports = { uiPort: ${uiPort}, uiHost: '127.0.0.1', flowFile: 'flows.json', telemetry: { enabled: false } };`,
  );
  const child = spawn(command('node-red'), ['--userDir', folder, 'flows.json'], { stdio: 'ignore' });
  try {
    for (const endsAtMs = Date.now() + PATIENCE_MS; found.size < 2 && Date.now() < endsAtMs; )
      await sleep(200);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    for (const driver of drivers) await driver.stop();
    await broker.remove();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return (
    [
      ['mqtt', 1234.5],
      ['http', 77],
    ] as const
  ).flatMap(([id, value]) =>
    found.get(id) === value ? [] : [`over ${id}: ${found.get(id)} instead of ${value}`],
  );
}
