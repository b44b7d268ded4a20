import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { ApiError, type Client } from '@granary/client';
import type { Settings } from '@granary/server/process/settings';
import { hiddenFaults } from '../commands/devices/device-texts.ts';

export type Verdict = 'ok' | 'warn' | 'fail';

export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly message: string;
  readonly cure?: string;
}

const GIGABYTE = 1e9;
const DISK_WARN_BYTES = 2 * GIGABYTE;
const DISK_FAIL_BYTES = 0.2 * GIGABYTE;
const CLOCK_WARN_MS = 5_000;
const CLOCK_FAIL_MS = 60_000;
const CONNECT_TIMEOUT_MS = 3_000;
/** CONNECT of MQTT 3.1.1 with the client id `doctor` and no login: a server answers it with CONNACK, if only to refuse it. */
const MQTT_CONNECT = Buffer.from('101200044d5154540402003c0006646f63746f72', 'hex');
const MQTT_CONNACK = 0x20;

const finding = (check: string, verdict: Verdict, message: string, cure?: string): Finding => ({
  check,
  verdict,
  message,
  ...(cure === undefined || verdict === 'ok' ? {} : { cure }),
});

export function folderFinding({ dataDir }: Settings): Finding {
  if (!existsSync(dataDir)) {
    return finding(
      'folder',
      'warn',
      `${dataDir} does not exist yet`,
      'The first start makes it; GRANARY_DATA_DIR names another one.',
    );
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return finding('folder', 'ok', `${dataDir} can be read and written`);
  } catch {
    return finding(
      'folder',
      'fail',
      `${dataDir} cannot be read and written`,
      'Give it to the user of the service: chown -R.',
    );
  }
}

export function diskFinding({ dataDir }: Settings): Finding {
  const { bavail, bsize } = statfsSync(existsSync(dataDir) ? dataDir : '.');
  const free = bavail * bsize;
  const message = `${(free / GIGABYTE).toFixed(1)} GB free`;
  const cure = 'Free some space; shorter retention (GRANARY_RETENTION_RAW_DAYS) keeps it free.';
  if (free < DISK_FAIL_BYTES) return finding('disk', 'fail', message, cure);
  return finding('disk', free < DISK_WARN_BYTES ? 'warn' : 'ok', message, cure);
}

export async function portFinding(
  name: string,
  host: string,
  port: number | null,
  isRunning: boolean,
): Promise<Finding> {
  if (port === null) return finding('ports', 'ok', `${name} is off`);
  if (isRunning || port === 0)
    return finding(
      'ports',
      'ok',
      `${name} ${host}:${port} ${isRunning ? 'belongs to the service' : 'any free port'}`,
    );
  const server = createServer();
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
  if (failure === null) return finding('ports', 'ok', `${name} ${host}:${port} is free`);
  const cure = `Stop the other program, or set GRANARY_${name}_PORT.`;
  return finding('ports', 'fail', `${name} ${host}:${port} cannot be used: ${failure.code}`, cure);
}

export async function serviceFindings(client: Client, url: string): Promise<Finding[]> {
  try {
    const { checks, broker } = await client.health.ready();
    const findings = Object.entries({
      database: checks.storage,
      broker: checks.device_link,
      ingest: checks.ingest,
    }).map(([check, state]) =>
      finding(
        check,
        state === 'ok' ? 'ok' : 'fail',
        state === 'ok' ? 'the service reports ok' : state,
        'The log of the service says more; GRANARY_DATABASE_URL and the data folder say where the data is.',
      ),
    );
    return broker === undefined ? findings : [...findings, accessFinding(broker.unknown_devices)];
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    return [
      finding(
        'service',
        'fail',
        reason,
        `Start it with \`granary up\` or \`granary serve\`, or name another one than ${url} with --url or --context.`,
      ),
    ];
  }
}

export function accessFinding(unknownDevices: number): Finding {
  if (unknownDevices === 0) return finding('access', 'ok', 'the broker knows the credentials of all devices');
  return finding(
    'access',
    'warn',
    `the broker does not know the credentials of ${unknownDevices} devices`,
    'The log of the service names them; POST …/devices/{id}/credentials replaces them.',
  );
}

export function databaseFinding({ dataDir, databaseUrl }: Settings): Finding {
  if (databaseUrl !== null)
    return finding(
      'database',
      'warn',
      'PostgreSQL; only the running service knows whether it answers',
      'Start the service.',
    );
  const file = join(dataDir, 'granary.db');
  return existsSync(file)
    ? finding('database', 'ok', `${file} exists; the service is not running`)
    : finding('database', 'warn', `there is no ${file} yet`, 'The first start makes it.');
}

/** Speaks MQTT, because another program may listen on the port. */
export async function brokerFinding(host: string, port: number): Promise<Finding> {
  const socket = connect({ host, port });
  const answer = await new Promise<Buffer | Error>((resolve) => {
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => resolve(new Error('no answer')));
    socket.once('error', resolve);
    socket.once('data', resolve);
    socket.once('close', () => resolve(new Error('the connection was closed without an answer')));
    socket.write(MQTT_CONNECT);
  });
  socket.destroy();
  const cure = 'Devices cannot connect: look at GRANARY_MQTT_HOST, GRANARY_MQTT_PORT and the firewall.';
  if (answer instanceof Error) return finding('broker', 'fail', `${host}:${port}: ${answer.message}`, cure);
  const isMqtt = answer[0] === MQTT_CONNACK;
  return finding(
    'broker',
    isMqtt ? 'ok' : 'fail',
    `${host}:${port} ${isMqtt ? 'answers MQTT' : 'is no MQTT server'}`,
    cure,
  );
}

/** The header `Date` has whole seconds. */
export function clockFinding(serviceDate: string | null, nowMs: number): Finding {
  const offMs = serviceDate === null ? Number.NaN : Math.abs(Date.parse(serviceDate) - nowMs);
  if (Number.isNaN(offMs))
    return finding('clock', 'warn', 'the service did not say its time', 'Look at both clocks.');
  const cure =
    'Set the clocks with NTP (timedatectl set-ntp true): times of readings and deadlines depend on them.';
  if (offMs <= CLOCK_WARN_MS)
    return finding('clock', 'ok', 'this machine and the service have the same time');
  return finding(
    'clock',
    offMs > CLOCK_FAIL_MS ? 'fail' : 'warn',
    `this machine and the service differ by ${Math.round(offMs / 1_000)} s`,
    cure,
  );
}

export async function keyFinding(client: Client): Promise<Finding> {
  try {
    await client.fleet.devices({ limit: 1 });
    return finding('key', 'ok', 'the service accepts it');
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    return finding(
      'key',
      'fail',
      `${failure.message} (${failure.code})`,
      '`granary login` stores another key; `granary keys create` issues one.',
    );
  }
}

const NAMED_MAX = 5;

/** Devices that look healthy because they are connected; nothing where the key may not read them, which is another finding. */
export async function deviceFindings(client: Client): Promise<Finding[]> {
  try {
    const [{ devices }, faults] = await Promise.all([client.fleet.overview(), hiddenFaults(client)]);
    if (faults.length === 0)
      return [
        finding(
          'devices',
          'ok',
          `${devices.total}, none with refused readings, a wrong clock or a second client`,
        ),
      ];
    const named = faults.slice(0, NAMED_MAX).map(({ deviceId, words }) => `${deviceId}: ${words}`);
    const more = faults.length > NAMED_MAX ? [`${faults.length - NAMED_MAX} more`] : [];
    return [
      finding(
        'devices',
        'warn',
        [...named, ...more].join(', '),
        '`granary device show <device_id>` tells what exactly, `granary alerts` lists all.',
      ),
    ];
  } catch (failure) {
    if (failure instanceof ApiError) return [];
    throw failure;
  }
}
