import { type AddressInfo, createServer } from 'node:net';
import { Aedes } from 'aedes';

/** The reference: the broker alone, which acknowledges messages and discards them. */
const broker = await Aedes.createBroker({ maxClientsIdLength: 64 });
const server = createServer(broker.handle);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
// The parent process has ended.
process.once('disconnect', () => process.exit());
