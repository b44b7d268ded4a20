import { join } from 'node:path';
import { freePort } from '../../../tools/free-port.ts';
import type { Reference } from '../processes.ts';
import type { Peer } from './installed.ts';
import { endPeer, spawnPeer, untilListening } from './peer-process.ts';

export const INFLUXDB: Peer = { name: 'InfluxDB', packages: ['influxdb'], commands: ['influxd'] };

export const INFLUXDB_DATABASE = 'bench';

/** InfluxDB as it is configured by default, which synchronises its log after every write, but without a line of log per request. */
export async function startInfluxDb(folder: string): Promise<Reference> {
  const port = await freePort();
  const server = spawnPeer('influxd', ['run'], {
    INFLUXDB_REPORTING_DISABLED: 'true',
    INFLUXDB_BIND_ADDRESS: `127.0.0.1:${await freePort()}`,
    INFLUXDB_HTTP_BIND_ADDRESS: `127.0.0.1:${port}`,
    INFLUXDB_HTTP_LOG_ENABLED: 'false',
    INFLUXDB_META_DIR: join(folder, 'meta'),
    INFLUXDB_DATA_DIR: join(folder, 'data'),
    INFLUXDB_DATA_WAL_DIR: join(folder, 'wal'),
  });
  await untilListening(server, port);
  const query = `CREATE DATABASE ${INFLUXDB_DATABASE}`;
  const created = await fetch(`http://127.0.0.1:${port}/query?q=${encodeURIComponent(query)}`, {
    method: 'POST',
  });
  if (!created.ok) throw new Error(`InfluxDB answered ${created.status}: ${await created.text()}`);
  return { port, stop: () => endPeer(server) };
}
