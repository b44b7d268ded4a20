import { connect, type Socket } from 'node:net';
import type { ServiceProcess } from './service-process.ts';

/** A reader of the event stream on a raw socket, so that one process can have many. */
export function openEventSocket(
  service: ServiceProcess,
  key: string,
  onText: ((text: string) => void) | null,
): Promise<Socket> {
  const { hostname: host, port } = new URL(service.httpUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port) });
    socket.once('error', reject);
    socket.once('data', (head: Buffer) => {
      if (!head.toString().startsWith('HTTP/1.1 200')) return reject(new Error(head.toString()));
      if (onText === null) socket.pause();
      else socket.on('data', (chunk: Buffer) => onText(chunk.toString()));
      resolve(socket);
    });
    socket.write(`GET /v1/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  });
}
