import { createClient } from '@granary/client';
import { type AccessValues, serviceAccess } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { CommandFailure, EXIT, explain } from '../../program/explain.ts';
import { withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Tone } from '../../terminal/text.ts';
import type { Finding, Verdict } from './finding.ts';
import { machineFindings } from './machine-findings.ts';
import {
  bridgeFindings,
  clockFinding,
  deviceFindings,
  keyFinding,
  serviceFindings,
  signOnFindings,
  zoneFindings,
} from './service-findings.ts';

const TONES: Readonly<Record<Verdict, Tone>> = { ok: 'good', warn: 'warning', fail: 'bad' };
const LIVE_MS_MAX = 5_000;
const LOCAL = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|\/|$)/;

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
