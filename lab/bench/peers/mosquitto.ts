import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../tools/free-port.ts';
import type { Reference } from '../processes.ts';
import type { Peer } from './installed.ts';
import { endPeer, spawnPeer, untilListening } from './peer-process.ts';

export const MOSQUITTO: Peer = {
  name: 'Mosquitto',
  packages: ['mosquitto', 'mosquitto-clients'],
  commands: ['mosquitto', 'mosquitto_sub'],
};

/** The broker alone: without a subscriber it acknowledges messages and stores nothing. */
export async function startMosquitto(folder: string): Promise<Reference> {
  const port = await freePort();
  const broker = await startBroker(folder, port, []);
  return { port, stop: () => endPeer(broker) };
}

/** The broker with persistence and a subscriber with a persistent session, which receives every message. */
export async function startPersistentMosquitto(folder: string): Promise<Reference> {
  const port = await freePort();
  const broker = await startBroker(folder, port, ['persistence true', `persistence_location ${folder}/`]);
  const login = ['-h', '127.0.0.1', '-p', String(port), '-i', 'subscriber', '-c'];
  const subscriber = spawnPeer('mosquitto_sub', [...login, '-q', '1', '-t', '#']);
  return {
    port,
    stop: async () => {
      await endPeer(subscriber);
      await endPeer(broker);
    },
  };
}

/** The broker as docs/running.md sets it up for several nodes, without passwords. */
export async function startSharedMosquitto(folder: string): Promise<Reference & { readonly pid: number }> {
  const port = await freePort();
  const limits = ['max_queued_messages 0', 'max_inflight_messages 0'];
  const lines = ['persistence true', `persistence_location ${folder}/`, ...limits];
  const broker = await startBroker(folder, port, lines);
  if (broker.pid === undefined) throw new Error('Mosquitto has no process id');
  return { port, pid: broker.pid, stop: () => endPeer(broker) };
}

async function startBroker(folder: string, port: number, more: readonly string[]) {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'mosquitto.conf');
  // Without this line a broker that root starts becomes another user, who cannot write into the folder.
  const user = process.getuid?.() === 0 ? ['user root'] : [];
  const lines = [`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'log_type none', ...user, ...more];
  await writeFile(file, `${lines.join('\n')}\n`);
  const broker = spawnPeer('mosquitto', ['-c', file]);
  await untilListening(broker, port);
  return broker;
}
