import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { hasProgram, mayTestWith } from '@granary/testing/link/outside-clients';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { type Api, describeRequests, siloNamed } from '@granary/testing/server/service';

const DASHBOARD = new URL('../../../../../docs/grafana-dashboard.json', import.meta.url);

const scrape = async (api: Api): Promise<string> => (await api.raw('GET', '/metrics', {})).text;

/** The value of a metric with these labels, in their order. */
function numberIn(text: string, series: string): number | undefined {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

const value = async (api: Api, series: string) => numberIn(await scrape(api), series);

describeRequests('the metrics', (api) => {
  test('are what promtool accepts', async (t) => {
    if (!mayTestWith(t, 'promtool', hasProgram('promtool'))) return;
    await api.get('/v1/siloscale/devices');
    const { headers, text } = await api.raw('GET', '/metrics', {});
    assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text });
    assert.equal(status, 0, `${stdout}${stderr}`);
    assert.equal(`${stdout}${stderr}`, '');
  });

  test('count requests by route and class of status, and never by the path as it was sent', async () => {
    const list = 'granary_http_requests_total{method="GET",route="/v1/siloscale/devices",status="2xx"}';
    const before = (await value(api, list)) ?? 0;
    await api.get('/v1/siloscale/devices');
    await api.get('/v1/siloscale/devices/secret-name');
    await api.get('/v1/nowhere/secret-name');
    await api.raw('GET', '/v1/siloscale/devices', {});
    await eventually(() => value(api, list), before + 1);
    const text = await scrape(api);
    const missing = 'method="GET",route="/v1/siloscale/devices/:device_id",status="4xx"';
    assert.equal(numberIn(text, `granary_http_requests_total{${missing}}`), 1);
    assert.equal(numberIn(text, list.replace('2xx', '4xx')), 1);
    assert.match(text, /granary_http_requests_total\{method="\w*",route="unknown",status="4xx"\} 1/);
    assert.doesNotMatch(text, /secret-name/);
    const durations =
      'granary_http_request_duration_seconds_count{method="GET",route="/v1/siloscale/devices"}';
    assert.equal(numberIn(text, durations), before + 2);
  });

  test('count readings, commits, connected devices, operations and alerts', async () => {
    const silo = await startSilo(api, 'measured');
    const before = await scrape(api);
    const telemetry = { ts: Date.now(), weight: 12, temperature: 20 };
    assert.equal((await api.post(`${silo.path}/telemetry`, telemetry)).status, 200);
    const started = await api.post(`${silo.path}/operations/feed`, { amount: 10 });
    assert.equal(started.status, 200, started.text);
    let after = before;
    const increase = (name: string) => (numberIn(after, name) ?? 0) - (numberIn(before, name) ?? 0);
    // All callers within a short time get the same figures.
    await eventually(async () => {
      after = await scrape(api);
      return increase('granary_ingest_messages_total') > 0;
    }, true);
    assert.ok(increase('granary_ingest_readings_total') > 0);
    assert.ok(increase('granary_ingest_batch_readings_count') > 0);
    assert.ok(increase('granary_storage_commits_total') >= 2);
    assert.ok(increase('granary_storage_write_duration_seconds_count') >= 2);
    assert.ok(increase('granary_link_sent_messages_total') >= 1);
    assert.ok(increase('granary_event_log_position') >= 1);
    assert.equal(numberIn(after, 'granary_link_connected_devices'), 1);
    assert.equal(numberIn(after, 'granary_storage_readable'), 1);
    // The counts of the storage are read every five seconds only.
    const read = async () => /granary_operations\{status="\w+"\} 1/.test(await scrape(api));
    await eventually(read, true);
    assert.match(await scrape(api), /granary_devices\{profile="silo_scale",status="\w+"\} 1\n/);
    assert.match(
      await scrape(api),
      /granary_open_alerts\{type="low_level",severity="\w+",status="active"\} 1/,
    );
    assert.doesNotMatch(await scrape(api), /measured/);
  });

  test('count jobs as 0 while there are none', async () => {
    const text = await scrape(api);
    for (const name of ['granary_operations', 'granary_commands', 'granary_missions']) {
      assert.match(text, new RegExp(`${name}\\{status="\\w+"\\} 0\n`), name);
    }
  });

  test('tell what is left of the disk', async () => {
    const text = await scrape(api);
    const free = numberIn(text, 'granary_disk_free_bytes') ?? 0;
    const size = numberIn(text, 'granary_disk_size_bytes') ?? 0;
    assert.ok(free > 0 && size >= free, `${free} of ${size}`);
  });

  test('exist, if the Grafana dashboard shows them', async () => {
    await api.post('/v1/siloscale/devices', siloNamed('shown'));
    const text = await scrape(api);
    const dashboard = JSON.parse(await readFile(DASHBOARD, 'utf8'));
    const panels: { readonly targets?: readonly { readonly expr: string }[] }[] = dashboard.panels;
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    assert.ok(expressions.length > 10);
    for (const expression of expressions) {
      const names = expression.match(/\b(granary|process)_\w+/g) ?? [];
      assert.ok(names.length > 0, expression);
      for (const name of names) {
        const family = name.replace(/_(bucket|sum|count)$/, '');
        assert.ok(text.includes(`# TYPE ${family} `) || text.includes(`# TYPE ${name} `), name);
      }
    }
  });
});

describeRequests(
  'the metrics with GRANARY_METRICS=key',
  (api) => {
    test('need any valid key', async () => {
      assert.equal((await api.raw('GET', '/metrics', {})).status, 401);
      assert.equal((await api.as('gk_wrong').get('/metrics')).status, 401);
      assert.equal((await api.get('/metrics')).status, 200);
    });
  },
  { GRANARY_METRICS: 'key' },
);

describeRequests(
  'the metrics with GRANARY_METRICS=off',
  (api) => {
    test('do not exist', async () => {
      assert.equal((await api.get('/metrics')).status, 404);
    });
  },
  { GRANARY_METRICS: 'off' },
);
