import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { REPOSITORY_ROOT } from './repository-files.ts';

/** The tour of README.md: the commands are run as they are printed, against a farm of their own. */
const TOUR: readonly (readonly string[])[] = [
  ['devices', '--q', 'silo-0', '--facility', 'Riverside Mill'],
  ['device', 'show', 'silo-02'],
  ['discharge', 'silo-02', '10', '--to', 'cart', '--yes'],
  ['audit', '--limit', '1'],
  ['stop', 'rover-01'],
  ['doctor'],
];
const GRANARY = join(REPOSITORY_ROOT, 'packages/cli/src/granary.ts');
const PORTS = { GRANARY_HTTP_PORT: '28080', GRANARY_MQTT_PORT: '21883', GRANARY_LOG_LEVEL: 'silent' };

const folder = await mkdtemp(join(tmpdir(), 'granary-tour-'));
const granary = (...args: readonly string[]) =>
  spawn(process.execPath, [GRANARY, ...args], {
    cwd: folder,
    env: { ...PORTS, GRANARY_ACTOR: 'Ada' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
const farm = granary('up', '--interval', '1');
try {
  for await (const chunk of farm.stdout) if (String(chunk).includes('Ctrl+C stops it')) break;
  for (const args of TOUR) {
    console.log(`$ granary ${args.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`);
    const child = granary(...args);
    const closed = once(child, 'close');
    console.log(await text(child.stdout));
    await closed;
  }
} finally {
  farm.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
}
