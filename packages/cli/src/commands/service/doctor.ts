import { createClient } from '@granary/client';
import { readAddresses } from '@granary/server/process/addresses-file';
import { readSettings, type Settings } from '@granary/server/process/settings';
import { type AccessValues, serviceAccess } from '../../access/service-access.ts';
import {
  brokerFinding,
  clockFinding,
  databaseFinding,
  deviceFindings,
  diskFinding,
  type Finding,
  folderFinding,
  keyFinding,
  portFinding,
  serviceFindings,
  type Verdict,
} from '../../doctor/checks.ts';
import type { Define, Environment } from '../../frame/environment.ts';
import { explain } from '../../frame/explain.ts';
import { CommandFailure, EXIT } from '../../frame/failures.ts';
import { withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Tone } from '../../terminal/text.ts';

const TONES: Readonly<Record<Verdict, Tone>> = { ok: 'good', warn: 'warning', fail: 'bad' };
const LIVE_MS_MAX = 5_000;
const LOCAL = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|\/|$)/;

export const doctor: Define = (command, environment) => {
  command.description(
    'Looks at the service and this machine: ports, folder, database, broker, clock, key, devices, disk. Each line is ok, warn or fail, with its cure; the exit code is 1 if something fails.',
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

/** What belongs to this machine is looked at only where the service is on it. */
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
    ...(await deviceFindings(client)),
    ...local,
  ];
}

/** Looks at what the settings name; the service that answers at an address may be another one than theirs. */
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

/** The ports of the service that runs with the data folder, which may have been started with other settings. */
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

/** Also where a proxy is between the address and the ports of the settings. */
async function isServiceOf({ httpHost, httpPort }: Settings, answeringUrl: string): Promise<boolean> {
  if (httpPort === null || new URL(answeringUrl).port === String(httpPort)) return true;
  const host = httpHost.includes(':') ? `[${httpHost}]` : httpHost;
  const signal = AbortSignal.timeout(LIVE_MS_MAX);
  return await fetch(`http://${host}:${httpPort}/livez`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}
