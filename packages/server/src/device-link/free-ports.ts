import { once } from 'node:events';
import { createServer } from 'node:net';
import type { BrokerAddresses } from '@granary/link/port';

/** Threads that share a port would share it with another program, too; so the port is opened alone first, which fails then. */
export async function assertPortsFree({ plain, secure }: BrokerAddresses): Promise<void> {
  for (const address of [plain, secure]) {
    if (address === null || address.port === 0) continue;
    const server = createServer();
    server.listen(address);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  }
}
