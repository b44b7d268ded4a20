import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openBrowser } from '@granary/testing/server/browser';
import { writeBuiltConsole } from '@granary/testing/server/built-console';
import { localService } from '@granary/testing/server/local-service';
import type { Page } from 'playwright-core';

/** Pages are slow on a busy machine. */
const PATIENCE_MS = 90_000;

describe('a page of others, in a browser that has signed in', () => {
  const { current, api } = localService({
    makeParts: async (dataDir) => {
      const consoleFolder = join(dataDir, 'console');
      await writeBuiltConsole(consoleFolder);
      return { consoleFolder };
    },
  });
  const evil = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(formOf(current().httpUrl));
  });
  let evilUrl = '';

  before(async () => {
    // The same host with another port: for a browser this is the same site, to which it sends the cookie.
    evil.listen(0, '127.0.0.1');
    await once(evil, 'listening');
    evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
  });
  after(() => evil.close().closeAllConnections());

  const keyCount = async (): Promise<number> => (await api.get('/v1/keys')).body.data.length;

  test('changes nothing and reads nothing, by a form or by a script; the own page does both', async (t) => {
    const browser = await openBrowser(t);
    if (browser === null) return;
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(current().httpUrl);
    const signIn = { method: 'POST', path: '/v1/session', body: { api_key: current().adminKey.key } };
    assert.equal((await ask(page, current().httpUrl, signIn)).status, 200);
    assert.equal(await page.evaluate('document.cookie'), '', 'no script can read the cookie');
    const newKey = { method: 'POST', path: '/v1/keys', body: { name: 'made by a page', scopes: ['admin'] } };
    assert.equal((await ask(page, current().httpUrl, newKey)).status, 200);
    const before = await keyCount();

    await page.goto(evilUrl);
    const answered = page.waitForResponse((response) => response.url().endsWith('/v1/session/codes'));
    await Promise.all([page.waitForURL(/v1\/session\/codes/), page.click('button')]);
    const posted = await answered;
    assert.ok(
      (await posted.request().allHeaders())['cookie']?.includes('granary_session=gs_'),
      'it was sent',
    );
    assert.equal(posted.status(), 403);
    assert.match(await page.content(), /cross_site_request/);

    await page.goto(evilUrl);
    for (const mode of ['cors', 'no-cors']) {
      assert.equal((await ask(page, current().httpUrl, { ...newKey, mode })).isReadable, false);
      const read = await ask(page, current().httpUrl, { method: 'GET', path: '/v1/keys', mode });
      assert.equal(read.isReadable, false);
    }
    assert.equal(await keyCount(), before);

    await page.goto(current().httpUrl);
    const out = await ask(page, current().httpUrl, { method: 'DELETE', path: '/v1/session' });
    assert.equal(out.status, 200);
    assert.equal((await ask(page, current().httpUrl, newKey)).status, 401);
  });
});

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly mode?: string;
}

/** What a script of the page gets from the service. */
async function ask(
  page: Page,
  url: string,
  { method, path, body, mode }: Asked,
): Promise<{ status: number; isReadable: boolean }> {
  const request = {
    method,
    credentials: 'include',
    mode: mode ?? 'cors',
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  };
  return await page.evaluate(`fetch(${JSON.stringify(url + path)}, ${JSON.stringify(request)}).then(
    ({ status, type }) => ({ status, isReadable: type !== 'opaque' }),
    () => ({ status: 0, isReadable: false }),
  )`);
}

const formOf = (url: string): string =>
  `<!doctype html><form method="post" action="${url}/v1/session/codes"><button>Win</button></form>`;
