import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@granary/testing/free-port';
import { CLIENT, Visitor } from '@granary/testing/server/identity-provider';
import { type Api, withService } from '@granary/testing/server/service';

const PROGRAM = '/usr/bin/glewlwyd';
const SCHEMA = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';
const PATIENCE_MS = 20_000;
/** The name of the person at the provider, and of the group in the service. */
const NAME = 'silo-operators';
/** Glewlwyd does not decode other characters in the header. */
const SECRET = 'asecretoftheclient';

const settingsOf = (port: number, folder: string): string => `
port=${port}
external_url="http://localhost:${port}"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="WARNING"
cookie_secure=0
session_expiration=3600
session_key="session"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA512"
database={ type="sqlite3" path="${join(folder, 'glewlwyd.db')}" };
`;

const PLUGIN = {
  module: 'oidc',
  name: 'oidc',
  display_name: 'OpenID Connect',
  parameters: {
    'jwt-type': 'rsa',
    'jwt-key-size': '256',
    'access-token-duration': 3_600,
    'refresh-token-duration': 3_600,
    'code-duration': 600,
    'refresh-token-rolling': true,
    'allow-non-oidc': false,
    'auth-type-code-enabled': true,
    'auth-type-token-enabled': false,
    'auth-type-id-token-enabled': false,
    'auth-type-none-enabled': false,
    'auth-type-password-enabled': false,
    'auth-type-client-enabled': false,
    'auth-type-refresh-enabled': false,
    'pkce-allowed': true,
    'pkce-method-plain-allowed': false,
    'name-claim': 'mandatory',
  },
};

/** Signs in with Glewlwyd of Debian, which is written in C and shares no library with this repository. */
export async function signInWithGlewlwyd(): Promise<string[]> {
  if (!existsSync(PROGRAM)) return ['glewlwyd is not installed: apt-get install glewlwyd'];
  const folder = await mkdtemp(join(tmpdir(), 'granary-glewlwyd-'));
  const database = new DatabaseSync(join(folder, 'glewlwyd.db'));
  database.exec(await readFile(SCHEMA, 'utf8'));
  database.close();
  const port = await freePort();
  const file = join(folder, 'glewlwyd.conf');
  await writeFile(file, settingsOf(port, folder));
  const child = spawn(PROGRAM, [`--config-file=${file}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  for (const output of [child.stdout, child.stderr]) output.on('data', (text) => said.push(String(text)));
  const url = `http://localhost:${port}`;
  try {
    await answering(`${url}/config`);
    const env = {
      GRANARY_DATA_DIR: join(folder, 'data'),
      GRANARY_OIDC_ISSUER: `${url}/api/oidc`,
      GRANARY_OIDC_CLIENT_ID: CLIENT.id,
      GRANARY_OIDC_CLIENT_SECRET: SECRET,
      GRANARY_OIDC_SCOPES: 'openid',
      GRANARY_OIDC_GROUPS_CLAIM: 'name',
    };
    return await withService(env, {}, (api) => signIn(api, url));
  } catch (error) {
    return [String(error), ...said];
  } finally {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}

async function signIn(api: Api, provider: string): Promise<string[]> {
  const { httpUrl } = api.started;
  const administrator = new Caller(provider);
  await administrator.send('POST', '/api/auth/', { username: 'admin', password: 'password' });
  const { privateKey: key, publicKey: cert } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const parameters = { ...PLUGIN.parameters, iss: `${provider}/api/oidc`, key, cert };
  await administrator.send('POST', '/api/mod/plugin/', { ...PLUGIN, parameters });
  const password = 'a password of Glewlwyd';
  const scope = ['openid', 'g_profile'];
  await administrator.send('POST', '/api/user/', {
    username: 'ada',
    name: NAME,
    password,
    enabled: true,
    scope,
  });
  await administrator.send('POST', '/api/client/', {
    client_id: CLIENT.id,
    name: 'Granary',
    confidential: true,
    password: SECRET,
    redirect_uri: [`${httpUrl}/v1/session/oidc/callback`],
    authorization_type: ['code'],
    scope: ['openid'],
    enabled: true,
    token_endpoint_auth_method: ['client_secret_basic', 'client_secret_post'],
  });
  const ada = new Caller(provider);
  await ada.send('POST', '/api/auth/', { username: 'ada', password });
  await ada.send('PUT', `/api/auth/grant/${CLIENT.id}/`, { scope: 'openid' });

  await api.put('/v1/sign-in-policy', { groups: [{ group: NAME, role: 'operator' }] });
  const visitor = new Visitor();
  const started = await api.raw('POST', '/v1/session/oidc/start', { headers: { origin: httpUrl } });
  visitor.keep(httpUrl, started.headers);
  // This is the address to which the page of Glewlwyd leads when the person has signed in and agreed.
  const back = await ada.redirected(`${started.body.data.url}&g_continue`);
  const headers = { cookie: visitor.cookiesFor(httpUrl) };
  const finished = await api.raw('GET', back.slice(httpUrl.length), { headers });
  const [last] = (await api.get('/v1/people/sign-ins')).body.data;
  const isRight = finished.status === 200 && last.result === 'signed_in' && last.groups.includes(NAME);
  return isRight ? [] : [`${finished.status} ${finished.text}: ${JSON.stringify(last)}`];
}

/** A session at the provider. */
class Caller {
  readonly #url: string;
  #cookie = '';

  constructor(url: string) {
    this.#url = url;
  }

  async send(method: string, path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json', cookie: this.#cookie };
    const answer = await fetch(this.#url + path, { method, headers, body: JSON.stringify(body) });
    const [cookie] = answer.headers.getSetCookie();
    if (cookie !== undefined) this.#cookie = cookie.split(';', 1)[0] ?? '';
    if (!answer.ok) throw new Error(`Glewlwyd: ${method} ${path} ${answer.status} ${await answer.text()}`);
  }

  async redirected(url: string): Promise<string> {
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie: this.#cookie } });
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`Glewlwyd does not redirect: ${answer.status}`);
    return location;
  }
}

async function answering(url: string): Promise<void> {
  const untilMs = performance.now() + PATIENCE_MS;
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (performance.now() > untilMs) throw new Error(`${url} does not answer`);
    await sleep(100);
  }
}
