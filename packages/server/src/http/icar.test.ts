import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { MINUTE_MS, toIso } from '@granary/contract/time';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { describeService, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';
const EXAMPLES = new URL('../../../../examples/integrations/', import.meta.url);
const exampleText = (name: string): string => readFileSync(new URL(name, EXAMPLES), 'utf8');

interface Query {
  readonly url: string;
  readonly root_selector: string;
  readonly columns: readonly { readonly selector: string }[];
  readonly url_options: { readonly params: readonly { readonly key: string; readonly value: string }[] };
}

/** Resolves a selector as the backend parser of the Grafana plugin does. */
const selected = (value: unknown, selector: string): unknown =>
  selector.split('.').reduce((inner, name) => Object(inner)[name], value);

describeService('other programs', (api) => {
  before(async () => {
    const silo = await startSilo(api, 'silo-a', 120);
    const configured = await api.put(`${SILOS}/silo-a/config`, { product: { name: 'Broiler starter' } });
    assert.equal(configured.status, 200, configured.text);
    await silo.leave();
    await api.post(SILOS, siloNamed('silo-b', 'south'));
    await eventually(async () => (await api.get('/v1/alerts?device_id=silo-a')).body.data.length > 0, true);
  });

  test('silos are feed storage resources of ICAR ADE, page by page', async () => {
    const first = (await api.get('/v1/icar/feed-storage?limit=1')).body;
    const [silo] = first.member;
    const { meta, ...fields } = silo;
    assert.deepEqual(fields, {
      resourceType: 'icarFeedStorageResource',
      id: 'silo-a',
      name: fields.name,
      softwareVersion: fields.softwareVersion,
      isActive: fields.isActive,
      location: { id: fields.location.id, scheme: 'org.granary.facility' },
      feedId: 'Broiler starter',
      capacity: { unitCode: 'KGM', value: 1_000 },
      quantityAvailable: { unitCode: 'KGM', value: 120 },
    });
    assert.equal(meta.sourceId, 'silo-a');
    assert.ok(Date.parse(meta.modified) > Date.now() - MINUTE_MS);
    const second = (await api.get(first.view.next)).body;
    assert.deepEqual(
      second.member.map(({ id, quantityAvailable }: { id: string; quantityAvailable?: object }) => [
        id,
        quantityAvailable,
      ]),
      [['silo-b', undefined]],
    );
    assert.equal(second.view.next, undefined);
    const south = (await api.get('/v1/icar/feed-storage?facility=south')).body.member;
    assert.deepEqual(
      south.map(({ id }: { id: string }) => id),
      ['silo-b'],
    );
    assert.equal((await api.get('/v1/icar/feed-storage?limit=0')).status, 400);
  });

  test('every query of the dashboard for Grafana is answered, with the values that it selects', async () => {
    const { panels, templating } = JSON.parse(exampleText('grafana/dashboard.json'));
    const queries: Query[] = [
      ...panels.map(({ targets }: { targets: Query[] }) => targets[0]),
      templating.list[0].query.infinityQuery,
    ];
    const now = Date.now();
    const filled = (text: string): string =>
      text
        .replaceAll(/\$\{silo\}/g, 'silo-a')
        .replace(/\$\{__from:date:iso\}/, toIso(now - 60 * MINUTE_MS))
        .replace(/\$\{__to:date:iso\}/, toIso(now + MINUTE_MS));
    for (const { url, url_options: options, root_selector: root, columns } of queries) {
      const query = new URLSearchParams(options.params.map(({ key, value }) => [key, filled(value)]));
      const { status, body, text } = await api.get(`${filled(url)}?${query}`);
      assert.equal(status, 200, text);
      const rows = selected(body, root) as unknown[];
      // A forecast needs days of history; one that says nothing yet has no day.
      if (url === '/v1/forecasts' && rows.every((row) => selected(row, 'empty') === null)) continue;
      for (const { selector } of columns) {
        assert.ok(
          rows.some((row) => selected(row, selector) !== undefined),
          `${url}: ${selector}`,
        );
      }
    }
  });

  test('the requests of the query for Excel are answered, and have what it reads', async () => {
    const text = exampleText('excel-power-query.m');
    const path = /RelativePath = "([^"]+)"/.exec(text)?.[1];
    const asked = Object.fromEntries(
      Array.from(
        /Query = \[(.+?)\]/.exec(text)?.[1]?.matchAll(/(\w+) = "(\w+)"/g) ?? [],
        ([, name, value]) => [name, value],
      ),
    );
    assert.deepEqual(asked, { profile: 'silo_scale', include: 'readings', limit: '500' });
    const query = new URLSearchParams({ ...asked, limit: '1' });
    const first = (await api.get(`/${path}?${query}`)).body;
    const [silo] = first.data;
    assert.deepEqual([silo.device_id, silo.readings.weight.value], ['silo-a', 120]);
    assert.ok(['name', 'status', 'last_seen'].every((field) => field in silo) && 'facility' in silo.location);
    const next = (await api.get(`/${path}?${query}&cursor=${first.page.next_cursor}`)).body;
    assert.deepEqual([next.data[0].device_id, next.page.next_cursor], ['silo-b', null]);
  });
});
