import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEntry } from '@granary/contract/audit';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { CrashingService } from '@granary/testing/server/crashing-service';
import { siloNamed } from '@granary/testing/server/service';

const SILOS = 4;
const CHANGES_PER_SILO = IS_FULL_SIZE ? 400 : 40;
const KILLS_MIN = IS_FULL_SIZE ? 10 : 2;
/** This is few enough that one page of the audit log holds all changes of a silo. */
const CHANGES_MAX = 900;
const RETRY_MS = 20;

const service = new CrashingService({ killAfterMsMax: 1_000, killsMax: KILLS_MIN });

before(() => service.start());
after(() => service.remove());

const pathOf = (silo: string): string => `/v1/siloscale/devices/${silo}`;

const doneEntries = (query: string): Promise<AuditEntry[]> =>
  service.ask(`/v1/audit?result=done&${query}`, 'GET');

/** Changes a configuration again and again, sends each change once, and returns the ids of the requests by their outcome. */
async function change(silo: string): Promise<{ acknowledged: string[]; unknown: string[] }> {
  const [acknowledged, unknown]: [string[], string[]] = [[], []];
  for (let n = 1; acknowledged.length < CHANGES_PER_SILO || service.kills < KILLS_MIN; n++) {
    if (acknowledged.length >= CHANGES_MAX) await sleep(RETRY_MS);
    else {
      const id = `${silo}-${n}`;
      const body = { reporting: { offline_delay_s: n } };
      const status = await service.askOnce(`${pathOf(silo)}/config`, 'PUT', body, id);
      if (status === 200) acknowledged.push(id);
      else {
        assert.ok(status === null || status === 503, `answered ${status}`);
        unknown.push(id);
        await sleep(RETRY_MS);
      }
    }
  }
  return { acknowledged, unknown };
}

test('every acknowledged change has one entry, and every entry is a change, although the service is killed', async () => {
  const silos = Array.from({ length: SILOS }, (_, index) => `silo-${index}`);
  for (const silo of silos) await service.ask('/v1/siloscale/devices', 'POST', siloNamed(silo));
  service.beginKilling();
  const outcomes = await Promise.all(silos.map(change));
  await service.endKilling();
  assert.ok(service.kills >= KILLS_MIN);

  for (const [index, silo] of silos.entries()) {
    const { acknowledged = [], unknown = [] } = outcomes[index] ?? {};
    const entries = await doneEntries(`device_id=${silo}&action=configuration.update`);
    const entered = entries.map(({ request_id }) => request_id);
    assert.equal(new Set(entered).size, entered.length, 'a change was entered twice');
    assert.deepEqual(
      acknowledged.filter((id) => !entered.includes(id)),
      [],
      'an acknowledged change was not entered',
    );
    assert.deepEqual(
      entered.filter((id) => !acknowledged.includes(id) && !unknown.includes(id)),
      [],
    );
    const versions = await service.ask(`${pathOf(silo)}/config/versions`, 'GET');
    // The registration made the first version.
    assert.equal(versions[0].version, entered.length + 1, 'one entry for each version');
    const delays = versions.map(({ configuration }: Version) => configuration.reporting.offline_delay_s);
    const ofEntries = entered.map((id) => Number(id.slice(silo.length + 1)));
    const compared = Math.min(ofEntries.length, delays.length);
    assert.deepEqual(ofEntries.slice(0, compared), delays.slice(0, compared));
  }
});

interface Version {
  readonly configuration: { readonly reporting: { readonly offline_delay_s: number } };
}
