import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { runInProcess } from '@granary/testing/cli/in-process';
import { mayTestWith } from '@granary/testing/link/outside-clients';
import type { Shell } from './completion.ts';

/** A typed line, and the words that may follow. */
const CASES: readonly (readonly [typed: readonly string[], words: readonly string[]])[] = [
  [['dis'], ['discharge']],
  [['device', 's'], ['show']],
  [['demo', '--f'], ['--fault']],
  [['devices', '--st'], ['--status']],
];

const isThere = (shell: Shell): boolean => spawnSync(shell, ['--version']).error === undefined;

/** A file with the script of a shell. */
async function scriptFile(t: TestContext, shell: Shell): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'granary-completion-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { exitCode, stdout } = await runInProcess(['completion', shell]);
  assert.equal(exitCode, 0);
  const file = join(folder, `granary.${shell}`);
  writeFileSync(file, stdout);
  return file;
}

test('bash completes commands, sub-commands, aliases and options', async (t) => {
  const file = await scriptFile(t, 'bash');
  for (const [typed, words] of CASES) {
    const list = ['granary', ...typed].map((word) => `'${word}'`).join(' ');
    const script = `. ${file}; COMP_WORDS=(${list}); COMP_CWORD=${typed.length}; _granary; echo "\${COMPREPLY[@]}"`;
    assert.deepEqual(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' '), words);
  }
});

test('fish completes commands, sub-commands, aliases and options', async (t) => {
  if (!mayTestWith(t, 'fish', isThere('fish'))) return;
  const file = await scriptFile(t, 'fish');
  for (const [typed, words] of CASES) {
    const script = `source ${file}; complete -C 'granary ${typed.join(' ')}'`;
    const shown = execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' }).trim();
    assert.deepEqual(shown.split('\n'), words, typed.join(' '));
  }
});

test('zsh completes commands, sub-commands, aliases and options at the tab key', async (t) => {
  if (!mayTestWith(t, 'zsh', isThere('zsh'))) return;
  const file = await scriptFile(t, 'zsh');
  const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm', LANG: 'C.UTF-8', HOME: tmpdir() };
  const shell = spawn('script', ['-qec', 'stty cols 200; exec zsh -f -i', '/dev/null'], { env });
  const closed = once(shell, 'close');
  t.after(() => shell.kill('SIGKILL'));
  let shown = '';
  let more = Promise.withResolvers<void>();
  shell.stdout.on('data', (chunk: Buffer) => {
    shown += chunk;
    more.resolve();
    more = Promise.withResolvers();
  });
  const until = async (text: string): Promise<void> => {
    while (!stripVTControlCharacters(shown).includes(text)) await more.promise;
  };
  shell.stdin.write(`autoload -U compinit; compinit -D -u; source ${file}; echo read""y\r`);
  await until('ready');
  for (const [typed, words] of CASES) {
    shown = '';
    // Ctrl+U empties the line after the word is complete.
    shell.stdin.write(`granary ${typed.join(' ')}\t`);
    await until(`granary ${[...typed.slice(0, -1), ...words].join(' ')}`);
    shell.stdin.write('\u0015');
  }
  shell.stdin.write('exit\r');
  await closed;
});
