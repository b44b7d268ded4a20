import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from '@granary/testing/free-port';
import { writeBuiltConsole } from '@granary/testing/server/built-console';
import { mapFile, pngTile, vectorTile } from '@granary/testing/server/map-file';
import { assertPublished } from '@granary/testing/server/published/answer-check';
import { RawConnection } from '@granary/testing/server/raw-http';
import { createService } from '../../compose.ts';
import { readSettings } from '../../process/settings.ts';
import { EMPTY_DRAWING } from './map-drawing.ts';
import { tileNumber } from './map-file.ts';

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

  async function settingsOf(base: string): Promise<Record<string, string | null>> {
    const answer = await fetch(`${base}/console.json`);
    return ((await answer.json()) as { data: Record<string, string | null> }).data;
  }

  async function tilesOf(base: string) {
    const { map_tiles_url, map_fault } = await settingsOf(base);
    assert.equal(map_fault, null);
    return async (z: number, x: number, y: number) => {
      const numbers = { '{z}': z, '{x}': x, '{y}': y };
      const path = (map_tiles_url ?? '').replace(/\{.\}/g, (one) =>
        String(numbers[one as keyof typeof numbers]),
      );
      const { status, headers, ...answer } = await fetch(base + path).then(async (response) => ({
        status: response.status,
        headers: response.headers,
        body: Buffer.from(await response.arrayBuffer()).toString('latin1'),
      }));
      assertPublished({ method: 'GET', path, status, headers, text: answer.body });
      return { status, type: headers.get('content-type'), ...answer };
    };
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
        "connect-src 'self' https://tiles.example:8443; worker-src 'self'; frame-src 'self'; font-src 'self'; manifest-src 'self'; " +
        "base-uri 'none'; form-action 'self' http://127.0.0.1:*; frame-ancestors 'none'",
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
        map_fault: null,
        sign_on_name: null,
        has_people: false,
        device_link: null,
      },
    );
    const written = /id="settings">(.*)<\/script>/.exec((await get('/')).text)?.[1] ?? '';
    assert.deepEqual(JSON.parse(written), data);
    const port = await freePort();
    const other = await start('with-port', { GRANARY_MQTT_PORT: String(port) });
    const answer = await fetch(`${other}/console.json`);
    const { device_link } = ((await answer.json()) as { data: { device_link: unknown } }).data;
    assert.deepEqual(device_link, { host: null, port, is_encrypted: false });
  });

  test('has the tiles of a map in the data folder, also for levels beyond it, and nothing where it has none', async () => {
    const tiles = { '0/0/0': pngTile([200, 0, 0]), '1/1/0': pngTile([0, 200, 0]) };
    for (const hasLeaf of [false, true]) {
      const name = `map-${hasLeaf}`;
      await mkdir(join(folder, name), { recursive: true });
      const bytes = mapFile({ type: 'png', levelMin: 0, levelMax: 1, tiles, hasLeaf });
      await writeFile(join(folder, name, 'farm.pmtiles'), bytes);
      const tileOf = await tilesOf(await start(name));
      const picture = await tileOf(1, 1, 0);
      assert.deepEqual([picture.status, picture.type], [200, 'image/png']);
      assert.deepEqual(Buffer.from(picture.body, 'latin1'), tiles['1/1/0']);
      assert.match(
        (await tileOf(3, 7, 1)).body,
        /viewBox="192 64 64 64"><image .*href="data:image\/png;base64,/,
      );
      assert.equal((await tileOf(1, 0, 0)).body, EMPTY_DRAWING.body.toString());
      assert.equal((await tileOf(1, 2, 0)).status, 404);
      assert.equal((await tileOf(25, 0, 0)).status, 404);
    }
  });

  test('draws vector tiles as lines and areas', async () => {
    await mkdir(join(folder, 'vector'), { recursive: true });
    const bytes = mapFile({ type: 'vector', levelMin: 0, levelMax: 0, tiles: { '0/0/0': vectorTile() } });
    await writeFile(join(folder, 'vector', 'farm.pmtiles'), bytes);
    const tileOf = await tilesOf(await start('vector'));
    const { type, body } = await tileOf(0, 0, 0);
    assert.equal(type, 'image/svg+xml');
    assert.match(body, /viewBox="0 0 4096 4096"/);
    assert.match(body, /<path class="water-area" d="M1024 1024l2048 0l0 2048l-2048 0z"\/>/);
    assert.match(body, /<path class="road-line" d="M0 0l4096 4096"\/>/);
    assert.match((await tileOf(2, 3, 1)).body, /viewBox="3072 1024 1024 1024"/);
  });

  test('says why a map cannot be used, and goes on without it', async () => {
    const good = mapFile({ type: 'png', levelMin: 0, levelMax: 0, tiles: { '0/0/0': pngTile([0, 0, 0]) } });
    const changed = (at: number, value: number): Buffer => {
      const bytes = Buffer.from(good);
      bytes[at] = value;
      return bytes;
    };
    const files: Readonly<Record<string, Buffer>> = {
      not_pmtiles: Buffer.from('<html>'),
      unknown_version: changed(7, 2),
      unknown_tiles: changed(99, 9),
      damaged: good.subarray(0, -1),
      'damaged directory': changed(127, 0),
      'damaged numbers': changed(20, 255),
    };
    for (const [name, bytes] of Object.entries(files)) {
      await mkdir(join(folder, name), { recursive: true });
      await writeFile(join(folder, name, 'farm.pmtiles'), bytes);
      const { map_fault, map_tiles_url } = await settingsOf(await start(name));
      assert.deepEqual([map_fault, map_tiles_url], [name.split(' ')[0], null], name);
    }
    // A damaged tile is shown as empty.
    await mkdir(join(folder, 'one-tile'), { recursive: true });
    await writeFile(join(folder, 'one-tile', 'farm.pmtiles'), changed(good.length - 12, 77));
    const tileOf = await tilesOf(await start('one-tile'));
    assert.equal((await tileOf(0, 0, 0)).status, 200);
  });

  test('numbers tiles as the specification of PMTiles does', () => {
    const numbers = [
      [0, 0, 0, 0],
      [1, 0, 0, 1],
      [1, 0, 1, 2],
      [1, 1, 1, 3],
      [1, 1, 0, 4],
      [2, 0, 0, 5],
      [12, 3_423, 1_763, 19_078_479],
    ] as const;
    for (const [z, x, y, expected] of numbers) assert.equal(tileNumber({ z, x, y }), expected);
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
