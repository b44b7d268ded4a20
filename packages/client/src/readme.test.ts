import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Farm, startSimulatedFarm } from '@granary/testing/client/simulated-farm';

const run = promisify(execFile);
/** The folder in which the package finds itself by its name. */
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const EXAMPLE = /^## (\d+\. [^\n]+)\n.*?^```js\n(.*?)^```/gms;

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
const examples = Array.from(readme.matchAll(EXAMPLE), ([, title = '', code = '']) => ({ title, code }));
const [connect, ...others] = examples;

/** The output that each example must have; the last example is cancelled, so it ends with an error. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  '2': /^2 silos, more of them: true\n(.*\n)*silo-01 .* online\n/,
  '3': /^[\d.]+ percent, [\d.]+ kg\n$/,
  '4': /^(\d{4}-\d\d-\d\dT\S+ [\d.]+\n)+$/,
  '5': /^[1-9]\d* readings\n$/,
  '6': /completed 5 kg\n$/,
  '7': /^(stopping|stopped) \S.*\n$/,
  '8': /^1 key\.issued null\n2 device\.registered \S+\n3 \S+ \S+\n$/,
  '9': /^$/,
  '10': /^422 insufficient_capacity /,
};

describe('the README of the client', () => {
  let farm: Farm | undefined;

  before(async () => {
    farm = await startSimulatedFarm();
  });
  after(() => farm?.stop());

  test('has ten examples', () => {
    assert.equal(examples.length, 10);
    assert.deepEqual(
      others.map(({ title }) => title.split('.')[0]),
      Object.keys(PRINTS),
    );
  });

  for (const { title, code } of others) {
    test(title, async () => {
      const args = ['--input-type=module', '--eval', `${connect?.code}${code}`];
      const env = { GRANARY_URL: farm?.url, GRANARY_API_KEY: farm?.apiKey };
      const ended = await run(process.execPath, args, { cwd: PACKAGE, env }).catch((failure) => failure);
      assert.match(ended.stdout, PRINTS[String(Number.parseInt(title, 10))] ?? /never/, ended.stderr);
      if (ended instanceof Error) assert.match(ended.message, /AbortError/);
    });
  }
});
