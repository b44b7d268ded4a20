import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { ApiError, type Client, createClient } from '@granary/client';
import { zonesUnlikeService } from '@granary/common/site-zone';
import { readAddresses } from '@granary/server/process/addresses-file';
import { readSettings, type Settings } from '@granary/server/process/settings';
import { type AccessValues, serviceAccess } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { CommandFailure, EXIT, explain } from '../../program/explain.ts';
import { withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Tone } from '../../terminal/text.ts';
import { hiddenFaults } from '../devices/device-texts.ts';

const GIGABYTE = 1e9;
const DISK_WARN_BYTES = 2 * GIGABYTE;
const DISK_FAIL_BYTES = 0.2 * GIGABYTE;
const CLOCK_WARN_MS = 5_000;
const CLOCK_FAIL_MS = 60_000;
const CONNECT_TIMEOUT_MS = 3_000;
/** CONNECT of MQTT 3.1.1 with the client id `doctor` and no login: a server answers it with CONNACK, if only to refuse it. */
const MQTT_CONNECT = Buffer.from('101200044d5154540402003c0006646f63746f72', 'hex');
const MQTT_CONNACK = 0x20;
const NAMED_MAX = 5;
const TONES: Readonly<Record<Verdict, Tone>> = { ok: 'good', warn: 'warning', fail: 'bad' };
const LIVE_MS_MAX = 5_000;
const LOCAL = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|\/|$)/;

export type Verdict = 'ok' | 'warn' | 'fail';

export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly message: string;
  readonly cure?: string;
}

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

/** Sends an MQTT packet, because another program may listen on the port. */
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

/** Compares the clocks; the header `Date` has whole seconds. */
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

/** No findings if the service reports no zones, or if the key may not read them. */
export async function zoneFindings(
  client: { readonly fleet: Pick<Client['fleet'], 'timeZones'> },
  nowMs: number,
): Promise<Finding[]> {
  try {
    const { service, facilities } = await client.fleet.timeZones();
    const others = zonesUnlikeService(
      facilities.flatMap(({ time_zones }) => time_zones),
      service,
      nowMs,
    );
    if (others.length === 0) return [finding('zone', 'ok', `the service runs in ${service}`)];
    return [
      finding(
        'zone',
        'warn',
        `the service runs in ${service}, the silos are in ${others.join(', ')}`,
        `Places whose silos name no time zone, and quiet hours without one, follow the service: GRANARY_TIME_ZONE=${others[0]}.`,
      ),
    ];
  } catch (failure) {
    if (failure instanceof ApiError) return [];
    throw failure;
  }
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

/** Finds devices that look healthy because they are connected; none if the key may not read them, which is another finding. */
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

/** No findings if there are no bridges, or if the key may not see them. */
export async function bridgeFindings(client: {
  readonly bridges: Pick<Client['bridges'], 'list'>;
}): Promise<Finding[]> {
  try {
    return (await client.bridges.list()).map(({ bridge_id, status, reported_at, site, journal, devices }) => {
      const name = `bridge ${bridge_id}`;
      if (status === 'away')
        return finding(
          'bridges',
          'fail',
          `${name} has not reported since ${reported_at}`,
          'Start it with granary bridge run, or set GRANARY_BRIDGE_SITE; its log says why it cannot report.',
        );
      // A key that may not configure everything is told neither the faults nor the waiting readings.
      const [fault] = site?.faults ?? [];
      if (site !== null && fault !== undefined)
        return finding(
          'bridges',
          'warn',
          `${name} uses the last good site file: line ${fault.line} of ${site.file}: ${fault.message}`,
          'Mend the file; the bridge reads it again by itself.',
        );
      if (journal !== null && journal.fault !== null)
        return finding(
          'bridges',
          'fail',
          `${name} cannot write its journal: ${journal.fault}`,
          'Free some space on its disk.',
        );
      if (devices.unit_differs > 0)
        return finding(
          'bridges',
          'fail',
          `${name} does not send all values of ${devices.unit_differs} devices: the mapping gives another unit than the declared one`,
          'GET /v1/bridges/{bridge_id} names the sensors and what to do; so does the log of the bridge.',
        );
      return finding(
        'bridges',
        devices.silent > 0 ? 'warn' : 'ok',
        `${name}: ${devices.answering} of ${devices.total} devices answer${journal === null ? '' : `, ${journal.readings} readings wait`}`,
        'GET /v1/bridges/{bridge_id} names the silent ones with their last failure.',
      );
    });
  } catch (failure) {
    if (failure instanceof ApiError) return [];
    throw failure;
  }
}

/** No findings if single sign-on is not set up, or if the key may not see it. */
export async function signOnFindings(client: {
  readonly signOn: Pick<Client['signOn'], 'provider'>;
}): Promise<Finding[]> {
  try {
    const { issuer, answers, failure } = await client.signOn.provider();
    const message = answers ? `${issuer} answers` : `${issuer}: ${failure}`;
    const cure =
      'People sign in with passwords and keys meanwhile; look at GRANARY_OIDC_ISSUER, the network and the certificate.';
    return [finding('sign-on', answers ? 'ok' : 'warn', message, cure)];
  } catch (failure) {
    if (failure instanceof ApiError) return [];
    throw failure;
  }
}

export const doctor: Define = (command, environment) => {
  command.description(
    'Looks at the service and this machine: ports, folder, database, broker, clock, key, time zone, devices, single sign-on, disk. Each line is ok, warn or fail, with its cure; the exit code is 1 if something fails.',
  );
  withExamples(command, 'granary doctor', 'granary doctor --context farm --json');
  withAccess(command).action(async (values: AccessValues) => {
    const findings = await examine(values, environment);
    const output = outputOf(environment, values.json);
    output.one(findings, () => findings.map((one) => textOf(one, output.paint)).join('\n'));
    const failed = findings.filter(({ verdict }) => verdict === 'fail').length;
    if (failed > 0)
      throw new CommandFailure(`${failed} of ${findings.length} checks failed`, { exitCode: EXIT.failed });
  });
};

function textOf(
  { check, verdict, message, cure }: Finding,
  paint: (text: string, tone: Tone) => string,
): string {
  const line = `${paint(verdict.padEnd(4), TONES[verdict])}  ${check.padEnd(8)}  ${message}`;
  return cure === undefined ? line : `${line}\n${' '.repeat(16)}${cure}`;
}

/** Makes all findings; those about this machine only if the service runs on it. */
async function examine(values: AccessValues, environment: Environment): Promise<Finding[]> {
  const { env } = environment;
  let access: ReturnType<typeof serviceAccess>;
  try {
    access = serviceAccess(values, env);
  } catch (failure) {
    const { message, cure = '' } = explain(failure);
    return [{ check: 'key', verdict: 'fail', message, cure }, ...(await machineFindings(env, null))];
  }
  const { baseUrl } = access;
  const client = createClient(access);
  const answer = await fetch(`${baseUrl}/livez`, { signal: AbortSignal.timeout(LIVE_MS_MAX) }).catch(
    () => null,
  );
  const service = await serviceFindings(client, baseUrl);
  const local = LOCAL.test(baseUrl) ? await machineFindings(env, answer === null ? null : baseUrl) : [];
  if (answer === null) return [...service, ...local];
  return [
    ...service,
    clockFinding(answer.headers.get('date'), Date.now()),
    await keyFinding(client),
    ...(await zoneFindings(client, Date.now())),
    ...(await deviceFindings(client)),
    ...(await bridgeFindings(client)),
    ...(await signOnFindings(client)),
    ...local,
  ];
}

/** Examines what the settings name. A service that answers at the address may be another one. */
async function machineFindings(env: Environment['env'], answeringUrl: string | null): Promise<Finding[]> {
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
