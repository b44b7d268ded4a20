import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import jsmodbus from 'jsmodbus';

/** Modbus TCP devices of jsmodbus, in a process of their own, which prints their ports. */
const ports: number[] = [];
for (let index = 0; index < Number(process.argv[2]); index += 1) {
  // The library does not handle errors of its connections.
  const server = createServer((socket) => socket.on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const holding = Buffer.alloc(200);
  for (let word = 0; word < 100; word += 1) holding.writeUInt16BE(word, 2 * word);
  new jsmodbus.server.TCP(server, { holding });
  ports.push((server.address() as AddressInfo).port);
}
console.log(JSON.stringify(ports));
