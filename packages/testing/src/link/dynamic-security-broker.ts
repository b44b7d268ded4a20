import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MosquittoBroker } from './mosquitto-broker.ts';

export const SERVICE_USER = { username: 'granary', password: 'password-of-the-service' };
export const SECURITY_FILE = 'dynamic-security.json';
const PLUGINS = ['/usr/lib/*/mosquitto_dynamic_security.so', '/usr/lib/mosquitto_dynamic_security.so'];

/** A Mosquitto with its dynamic security plugin, set up as docs/running.md says. */
export async function startDynamicSecurityBroker(): Promise<MosquittoBroker> {
  const [plugin] = globSync(PLUGINS);
  if (plugin === undefined) throw new Error('the dynamic security plugin of Mosquitto is missing');
  const settings = (folder: string) => [
    'allow_anonymous false',
    'set_tcp_nodelay true',
    `plugin ${plugin}`,
    `plugin_opt_config_file ${folder}/${SECURITY_FILE}`,
  ];
  return await MosquittoBroker.start(settings, { [SECURITY_FILE]: await firstConfiguration() }, SERVICE_USER);
}

/** As `mosquitto_ctrl` makes it: one user, who may control the plugin. */
export async function firstConfiguration(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-dynamic-security-'));
  const file = join(folder, SECURITY_FILE);
  const { username, password } = SERVICE_USER;
  execFileSync('mosquitto_ctrl', ['dynsec', 'init', file, username, password], { stdio: 'ignore' });
  const text = await readFile(file, 'utf8');
  await rm(folder, { recursive: true });
  return text;
}
