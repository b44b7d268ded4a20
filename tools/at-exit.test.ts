import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const MODULE = new URL('./at-exit.ts', import.meta.url).href;

test('what is planned for the exit is done once, unless it was cancelled', () => {
  const script = `
    import { atExit } from '${MODULE}';
    const cancel = atExit(() => console.log('first'));
    atExit(() => console.log('second'))();
    atExit(() => console.log('third'));
    cancel();
    process.exit(0);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  assert.deepEqual([stdout, stderr], ['third\n', '']);
});
