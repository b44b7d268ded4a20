import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { readAddresses } from '@granary/server/process/addresses-file';
import { readSettings, type Settings } from '@granary/server/process/settings';
import type { Environment } from '../../program/environment.ts';
import { type Finding, finding } from './finding.ts';

const GIGABYTE = 1e9;
const DISK_WARN_BYTES = 2 * GIGABYTE;
const DISK_FAIL_BYTES = 0.2 * GIGABYTE;
const CONNECT_TIMEOUT_MS = 3_000;
/** CONNECT of MQTT 3.1.1 with the client id `doctor` and no login: a server answers it with CONNACK, if only to refuse it. */
const MQTT_CONNECT = Buffer.from('101200044d5154540402003c0006646f63746f72', 'hex');
const MQTT_CONNACK = 0x20;
const LIVE_MS_MAX = 5_000;

function folderFinding({ dataDir }: Settings): Finding {
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

function diskFinding({ dataDir }: Settings): Finding {
  const { bavail, bsize } = statfsSync(existsSync(dataDir) ? dataDir : '.');
  const free = bavail * bsize;
  const message = `${(free / GIGABYTE).toFixed(1)} GB free`;
  const cure = 'Free some space; shorter retention (GRANARY_RETENTION_RAW_DAYS) keeps it free.';
  if (free < DISK_FAIL_BYTES) return finding('disk', 'fail', message, cure);
  return finding('disk', free < DISK_WARN_BYTES ? 'warn' : 'ok', message, cure);
}

async function portFinding(
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

function databaseFinding({ dataDir, databaseUrl }: Settings): Finding {
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

/** Sends an MQTT packet, because another program may listen on the port. */
async function brokerFinding(host: string, port: number): Promise<Finding> {
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

/** Examines what the settings name. A service that answers at the address may be another one. */
export async function machineFindings(
  env: Environment['env'],
  answeringUrl: string | null,
): Promise<Finding[]> {
  const settings = withRunningPorts(readSettings(env));
  const { httpHost, httpPort } = settings;
  const isRunning = answeringUrl !== null && (await isServiceOf(settings, answeringUrl));
  return [
    await portFinding('HTTP', httpHost, httpPort, isRunning),
    ...(await linkFindings(settings, isRunning)),
    folderFinding(settings),
    ...(isRunning ? [] : [databaseFinding(settings)]),
    diskFinding(settings),
  ];
}

/** The settings with the ports of the service that runs with the data folder, which may have been started with others. */
function withRunningPorts(settings: Settings): Settings {
  const running = readAddresses(settings.dataDir);
  if (running === null) return settings;
  const http = hostAndPort(running.http) ?? { host: settings.httpHost, port: null };
  const mqtt = hostAndPort(running.mqtt) ?? { host: settings.mqttHost, port: null };
  return {
    ...settings,
    httpHost: http.host,
    httpPort: http.port,
    mqttHost: mqtt.host,
    mqttPort: mqtt.port,
  };
}

function hostAndPort(url: string | null): { readonly host: string; readonly port: number } | null {
  if (url === null) return null;
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** With an external broker the service has no port for devices; its `/readyz` says whether it reaches the broker. */
async function linkFindings(
  { mqttHost, mqttPort, broker }: Settings,
  isRunning: boolean,
): Promise<Finding[]> {
  if (broker !== null) return broker.isSecure ? [] : [await brokerFinding(broker.host, broker.port)];
  return [
    await portFinding('MQTT', mqttHost, mqttPort, isRunning),
    ...(isRunning && mqttPort !== null && mqttPort !== 0 ? [await brokerFinding(mqttHost, mqttPort)] : []),
  ];
}

/** Whether the answering service is that of the settings, also if a proxy is between the address and their ports. */
async function isServiceOf({ httpHost, httpPort }: Settings, answeringUrl: string): Promise<boolean> {
  if (httpPort === null || new URL(answeringUrl).port === String(httpPort)) return true;
  const host = httpHost.includes(':') ? `[${httpHost}]` : httpHost;
  const signal = AbortSignal.timeout(LIVE_MS_MAX);
  return await fetch(`http://${host}:${httpPort}/livez`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}
