import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@granary/client';
import type { Bridge } from '@granary/contract/bridges';
import { accessFinding, bridgeFindings, signOnFindings, zoneFindings } from './service-findings.ts';

test('devices that the external broker does not know are a warning with a cure', () => {
  const { verdict, message, cure } = accessFinding(3);
  assert.deepEqual([verdict, message], ['warn', 'the broker does not know the credentials of 3 devices']);
  assert.match(cure ?? '', /credentials/);
  assert.equal(accessFinding(0).verdict, 'ok');
});

test('a bridge that is away, has a faulty file, a full disk or another unit is named with a cure', async () => {
  const site = { file: 'site.yaml', loaded_at: '2026-11-18T04:00:00Z', faults: [] };
  const journal = { readings: 0, bytes: 0, oldest_at: null, dropped: 0, fault: null, gaps: [] };
  const devices = { total: 3, answering: 3, silent: 0, waiting: 0, unit_differs: 0 };
  const good: Bridge = {
    bridge_id: 'north',
    key: null,
    status: 'connected',
    reported_at: '2026-11-18T04:00:00Z',
    version: '0.1.0',
    started_at: '2026-11-18T04:00:00Z',
    site,
    journal,
    devices,
  };
  const list = async () => [
    good,
    { ...good, status: 'away' as const },
    { ...good, site: { ...site, faults: [{ line: 4, message: 'there is no mapping none' }] } },
    { ...good, journal: { ...journal, fault: 'database or disk is full' } },
    { ...good, devices: { ...devices, unit_differs: 2 } },
    { ...good, devices: { ...devices, answering: 2, silent: 1 } },
    // This is the answer for a key that may not configure everything.
    { ...good, site: null, journal: null },
  ];
  const findings = await bridgeFindings({ bridges: { list } });
  assert.deepEqual(
    findings.map(({ verdict }) => verdict),
    ['ok', 'fail', 'warn', 'fail', 'fail', 'warn', 'ok'],
  );
  assert.match(findings[4]?.message ?? '', /does not send all values of 2 devices: .*another unit/);
  assert.ok(findings.every(({ verdict, cure }) => verdict === 'ok' || (cure ?? '') !== ''));
});

test('a service whose clocks are those of no silo is a warning with a cure', async () => {
  const nowMs = Date.parse('2026-11-19T10:00:00Z');
  const told = async (service: string, ...time_zones: string[]) => {
    const facilities = time_zones.length === 0 ? [] : [{ facility: 'north', time_zones }];
    const [found] = await zoneFindings(
      { fleet: { timeZones: async () => ({ service, facilities }) } },
      nowMs,
    );
    return found;
  };
  const away = await told('UTC', 'Europe/Berlin');
  assert.deepEqual(
    [away?.verdict, away?.message],
    ['warn', 'the service runs in UTC, the silos are in Europe/Berlin'],
  );
  assert.match(away?.cure ?? '', /GRANARY_TIME_ZONE=Europe\/Berlin\.$/);
  // The cases are a zone of another name, one of several sites, and none.
  assert.equal((await told('UTC', 'Africa/Accra'))?.verdict, 'ok');
  assert.equal((await told('Europe/Berlin', 'America/Chicago', 'Europe/Berlin'))?.verdict, 'ok');
  assert.equal((await told('UTC'))?.verdict, 'ok');
});

test('an identity provider that does not answer is a warning with a cure, and none is no finding', async () => {
  const told = (answers: boolean, failure: string | null) =>
    signOnFindings({
      signOn: {
        provider: async () => ({
          issuer: 'https://id.example',
          client_id: 'granary',
          groups_claim: 'groups',
          admin_group: null,
          callback_path: '/callback',
          logout_path: '/logout',
          answers,
          failure,
        }),
      },
    });
  const [away] = await told(false, 'it does not answer');
  assert.deepEqual([away?.verdict, away?.message], ['warn', 'https://id.example: it does not answer']);
  assert.match(away?.cure ?? '', /GRANARY_OIDC_ISSUER/);
  assert.equal((await told(true, null))[0]?.verdict, 'ok');
  const refused = new ApiError({ status: 404, code: 'route_not_found', message: 'not set up' });
  assert.deepEqual(await signOnFindings({ signOn: { provider: () => Promise.reject(refused) } }), []);
});
