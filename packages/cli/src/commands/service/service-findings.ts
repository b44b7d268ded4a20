import { ApiError, type Client } from '@granary/client';
import { zonesUnlikeService } from '@granary/common/site-zone';
import type { Bridge } from '@granary/contract/bridges';
import { hiddenFaults } from '../devices/device-texts.ts';
import { type Finding, finding, unlessRefused } from './finding.ts';

const CLOCK_WARN_MS = 5_000;
const CLOCK_FAIL_MS = 60_000;
const NAMED_MAX = 5;

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
  return await unlessRefused(async () => {
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
  });
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
  return await unlessRefused(async () => {
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
  });
}

/** No findings if there are no bridges, or if the key may not see them. */
export async function bridgeFindings(client: {
  readonly bridges: Pick<Client['bridges'], 'list'>;
}): Promise<Finding[]> {
  return await unlessRefused(async () => (await client.bridges.list()).map(bridgeFinding));
}

function bridgeFinding({ bridge_id, status, reported_at, site, journal, devices }: Bridge): Finding {
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
}

/** No findings if single sign-on is not set up, or if the key may not see it. */
export async function signOnFindings(client: {
  readonly signOn: Pick<Client['signOn'], 'provider'>;
}): Promise<Finding[]> {
  return await unlessRefused(async () => {
    const { issuer, answers, failure } = await client.signOn.provider();
    const message = answers ? `${issuer} answers` : `${issuer}: ${failure}`;
    const cure =
      'People sign in with passwords and keys meanwhile; look at GRANARY_OIDC_ISSUER, the network and the certificate.';
    return [finding('sign-on', answers ? 'ok' : 'warn', message, cure)];
  });
}
