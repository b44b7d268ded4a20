import { parentPort, workerData } from 'node:worker_threads';
import { topicOf } from '@granary/contract/link/messages';
import { connectAsync } from 'mqtt';

export interface WaitingDeviceData {
  readonly url: string;
  readonly deviceId: string;
  readonly secret: string;
  readonly firstTsMs: number;
  /** The number of the requested reading, and that of the acknowledged one. */
  readonly state: Int32Array;
}

/** A device in a thread of its own, so that it reports and gets acknowledgements while the main thread does nothing. */
const { url, deviceId, secret, firstTsMs, state }: WaitingDeviceData = workerData;
const client = await connectAsync(url, { clientId: deviceId, username: deviceId, password: secret }, false);
parentPort?.postMessage('connected');
for (let round = 1; ; round++) {
  await Atomics.waitAsync(state, 0, round - 1).value;
  const reading = JSON.stringify({ ts: firstTsMs + round, weight: round });
  await client.publishAsync(topicOf(deviceId, 'telemetry'), reading, { qos: 1 });
  Atomics.store(state, 1, round);
  Atomics.notify(state, 1);
}
