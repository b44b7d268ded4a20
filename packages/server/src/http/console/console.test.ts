import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { writeBuiltConsole } from '@granary/testing/server/built-console';
import { assertPublished } from '@granary/testing/server/published/answer-check';
import { RawConnection } from '@granary/testing/server/raw-http';
import { createService } from '../../compose.ts';
import { readSettings } from '../../process/settings.ts';

describe("the operators' page", () => {
  const undos: (() => Promise<unknown>)[] = [];
  let folder = '';
  let url = '';

  async function start(name: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const settings = readSettings({
      GRANARY_HTTP_PORT: '0',
      GRANARY_MQTT_PORT: '0',
      GRANARY_LOG_LEVEL: 'silent',
      GRANARY_LINK_THREADS: '0',
      GRANARY_DATA_DIR: join(folder, name),
      ...env,
    });
    const service = createService(settings, { consoleFolder: join(folder, `${name}-page`) });
    undos.push(() => service.stop());
    return (await service.start()).httpUrl;
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'granary-page-'));
    undos.push(() => rm(folder, { recursive: true, force: true }));
    await writeBuiltConsole(join(folder, 'built-page'));
    url = await start('built', { GRANARY_MAP_TILES_URL: 'https://tiles.example:8443/a/{z}/{x}/{y}.png' });
  });

  after(async () => {
    for (const undo of undos.reverse()) await undo();
  });

  async function get(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
    const response = await fetch(url + path, { method, headers });
    const text = await response.text();
    const { status, headers: answered } = response;
    assertPublished({ method, path, status, headers: answered, text });
    return { status, headers: answered, text };
  }

  test('is limited to this service and the host of the map tiles', async () => {
    const { status, headers, text } = await get('/');
    assert.equal(status, 200);
    assert.match(text, /<title>Granary/);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(headers.get('cache-control'), 'no-cache');
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob: https://tiles.example:8443; " +
        "connect-src 'self' https://tiles.example:8443; worker-src 'self'; font-src 'self'; manifest-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    assert.equal(headers.get('referrer-policy'), 'same-origin');
    const etag = headers.get('etag') ?? '';
    assert.equal((await get('/', { 'if-none-match': etag })).status, 304);
    assert.equal((await get('/', {}, 'HEAD')).text, '');
  });

  test('has files that are kept for ever, compressed as the browser accepts it', async () => {
    const path = '/assets/index-Bk2f8QxT.js';
    const plain = await get(path, { 'accept-encoding': 'identity' });
    assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(plain.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(plain.headers.get('content-encoding'), null);
    for (const [accepted, sent] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['gzip;q=1, br;q=0', 'gzip'],
    ] as const) {
      const { headers, text } = await get(path, { 'accept-encoding': accepted });
      assert.deepEqual([headers.get('content-encoding'), text], [sent, plain.text]);
    }
    const image = await get('/icon-192.png', { 'accept-encoding': 'br' });
    assert.deepEqual(
      [image.headers.get('content-type'), image.headers.get('content-encoding')],
      ['image/png', null],
    );
  });

  test('shows nothing but the files of the build', async () => {
    for (const path of [
      '/assets/',
      '/assets',
      '/assets/none.js',
      '/assets/built-from',
      '/built-from',
      '/index.html',
      '/secret.txt',
      '/assets/..%2fsecret.txt',
      '/assets/..%2findex.html',
      '/assets/%2e%2e%2findex.html',
      '/assets/index-Bk2f8QxT.js.br',
      '/assets/index-Bk2f8QxT.js/',
      '/assets/%00',
      '/icon-193.png',
      '/assets/..%5c..%5cetc%5cpasswd',
    ]) {
      const { status, text } = await get(path);
      assert.ok(status === 404 || status === 400, `${path} answered ${status} ${text}`);
    }
    for (const path of [
      '/assets/../built-from',
      '/assets/../../../../../../../../etc/passwd',
      '//etc/passwd',
    ]) {
      const connection = await RawConnection.open(url);
      connection.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      assert.equal((await connection.answer())?.status, 404, path);
      connection.close();
    }
  });

  test('learns the addresses of the service without a key', async () => {
    const { data } = JSON.parse((await get('/console.json')).text);
    assert.deepEqual(
      { ...data, version: '' },
      {
        version: '',
        silo_segment: 'siloscale',
        field_segment: 'fielddevice',
        map_tiles_url: 'https://tiles.example:8443/a/{z}/{x}/{y}.png',
        sign_on_name: null,
        device_link: null,
      },
    );
    const written = /id="settings">(.*)<\/script>/.exec((await get('/')).text)?.[1] ?? '';
    assert.deepEqual(JSON.parse(written), data);
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await promisify(probe.close.bind(probe))();
    const other = await start('with-port', { GRANARY_MQTT_PORT: String(port) });
    const answer = await fetch(`${other}/console.json`);
    const { device_link } = ((await answer.json()) as { data: { device_link: unknown } }).data;
    assert.deepEqual(device_link, { host: null, port, is_encrypted: false });
  });

  test('that is built while the service runs is shown without a restart', async () => {
    url = await start('later');
    const before = await get('/');
    assert.match(before.text, /npm run build/);
    assert.equal((await get('/icon.svg')).status, 404);
    await writeBuiltConsole(join(folder, 'later-page'));
    assert.match((await get('/')).text, /index-Bk2f8QxT/);
    assert.equal((await get('/icon.svg')).status, 200);
    await writeFile(join(folder, 'later-page/index.html'), 'newer');
    await rm(join(folder, 'later-page/index.html.br'));
    await rm(join(folder, 'later-page/index.html.gz'));
    await rm(join(folder, 'later-page/built-from'));
    assert.match((await get('/')).text, /npm run build/);
    await writeFile(join(folder, 'later-page/built-from'), 'newer');
    assert.match((await get('/')).text, /^newer<script type="application\/json" id="settings">/);
  });

  test('is not there when the settings switch it off', async () => {
    url = await start('off', { GRANARY_CONSOLE: 'off' });
    for (const path of ['/', '/console.json', '/assets/index-Bk2f8QxT.js']) {
      assert.equal((await get(path)).status, 404, path);
    }
  });
});
