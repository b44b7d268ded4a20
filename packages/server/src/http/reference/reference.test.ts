import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRequests } from '@granary/testing/server/service';
import { VERSION } from '../../process/version.ts';

describeRequests('GET /openapi.json', (api) => {
  test('needs no key, and shows where the document comes from as the address of the service', async () => {
    const { status, body, headers } = await api.raw('GET', '/openapi.json', {});
    assert.equal(status, 200);
    assert.deepEqual([body.openapi, body.info.version, body.servers], ['3.1.0', VERSION, [{ url: '/' }]]);
    assert.ok('/v1/siloscale/devices' in body.paths);
    assert.deepEqual([headers.get('cache-control'), headers.get('vary')], ['no-cache', 'accept-encoding']);
  });

  test('is answered with 304 to a reader who has it', async () => {
    const { headers } = await api.get('/openapi.json');
    const etag = headers.get('etag') ?? '';
    for (const known of [etag, `"other", ${etag.slice(2)}`, '*']) {
      const again = await api.get('/openapi.json', { 'if-none-match': known });
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag], known);
    }
    assert.equal((await api.get('/openapi.json', { 'if-none-match': '"other"' })).status, 200);
  });

  test('is compressed for those who accept it', async () => {
    const plain = await api.get('/openapi.json', { 'accept-encoding': 'identity' });
    const small = await api.get('/openapi.json', { 'accept-encoding': 'br;q=0.5, gzip' });
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(small.headers.get('content-encoding'), 'gzip');
    assert.equal(small.text, plain.text);
    assert.ok(Number(small.headers.get('content-length')) * 5 < Number(plain.headers.get('content-length')));
  });
});

describeRequests(
  'GET /openapi.json of a service with its own addresses',
  (api) => {
    test('shows them', async () => {
      const { body } = await api.get('/openapi.json');
      assert.deepEqual(body.servers, [{ url: 'https://granary.example.com/farm' }]);
      assert.ok('/v1/silos/devices' in body.paths && '/garden/plants' in body.paths);
      assert.ok(!('/v1/siloscale/devices' in body.paths));
    });
  },
  {
    GRANARY_SILO_SEGMENT: 'silos',
    GRANARY_SANDBOX_PATH: '/garden',
    GRANARY_PUBLIC_URL: 'https://granary.example.com/farm/',
  },
);

describeRequests(
  'GET /asyncapi.json',
  (api) => {
    test('needs no key, and shows the ports on which devices are served', async () => {
      const { status, body, headers } = await api.raw('GET', '/asyncapi.json', {});
      assert.deepEqual([status, body.asyncapi, body.info.version], [200, '3.0.0', VERSION]);
      // There is no certificate, so there is no port with TLS.
      assert.deepEqual(Object.keys(body.servers), ['mqtt', 'ws']);
      assert.equal(body.servers.mqtt.variables.host.default, 'granary.example.com');
      assert.equal(body.channels.telemetry.address, 'granary/v1/{device_id}/telemetry');
      assert.equal(body.components.messages.DeviceState.examples[0].payload.state, 'online');
      const etag = headers.get('etag') ?? '';
      assert.equal((await api.get('/asyncapi.json', { 'if-none-match': etag })).status, 304);
    });
  },
  { GRANARY_PUBLIC_URL: 'https://granary.example.com:8443/' },
);

describeRequests('GET /docs', (api) => {
  test('needs no key, and allows scripts, styles and requests of this service only', async () => {
    const { status, headers, text } = await api.raw('GET', '/docs', {});
    assert.equal(status, 200);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
    assert.doesNotMatch(policy, /unsafe|http|\*/);
    assert.doesNotMatch(text, /https?:|<style|style=|<script>| on\w+=/);
  });

  test('has a script and styles, compressed and confirmed as documents are', async () => {
    for (const [path, type] of [
      ['/docs', 'text/html; charset=utf-8'],
      ['/docs/script.js', 'text/javascript; charset=utf-8'],
      ['/docs/style.css', 'text/css; charset=utf-8'],
    ] as const) {
      const { status, headers } = await api.get(path, { 'accept-encoding': 'gzip' });
      assert.deepEqual([status, headers.get('content-type')], [200, type]);
      assert.equal(headers.get('content-encoding'), 'gzip');
      const again = await api.get(path, { 'if-none-match': headers.get('etag') ?? '' });
      assert.equal(again.status, 304);
    }
  });

  test('has no other files', async () => {
    for (const path of ['/docs/page.js', '/docs/..%2fpackage.json', '/docs//']) {
      assert.equal((await api.get(path)).body.error.code, 'route_not_found');
    }
  });
});

describeRequests('GET /docs/', (api) => {
  test('leads to the page without the slash, whose links are relative', async () => {
    const { httpUrl } = api.started;
    const asked = async (path: string, redirect: 'manual' | 'follow') => {
      const answer = await fetch(httpUrl + path, { redirect });
      await answer.text();
      return [answer.status, answer.url, answer.headers.get('location')];
    };
    assert.deepEqual(await asked('/docs/', 'manual'), [308, `${httpUrl}/docs/`, '../docs']);
    assert.deepEqual(await asked('/docs/', 'follow'), [200, `${httpUrl}/docs`, null]);
    assert.equal((await asked('/docs/nothing', 'manual'))[0], 404);
  });
});
