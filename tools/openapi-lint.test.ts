import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { REPOSITORY_ROOT } from './repository-files.ts';

const FILE = join(REPOSITORY_ROOT, 'docs/openapi.json');

/** The problems by all rules of the recommended set; no rule is switched off. */
async function problemsOf(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: FILE, config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

test('the linter of Redocly has nothing to say about the OpenAPI document', async () => {
  const text = await readFile(FILE, 'utf8');
  assert.deepEqual(await problemsOf(text), []);
  // The linter must report this fault.
  const broken = text.replace('#/components/schemas/DeviceSummary', '#/components/schemas/Nothing');
  assert.match((await problemsOf(broken)).join('\n'), /no-unresolved-refs/);
});

test('patterns are readable for generated clients: Python has no Unicode properties', async () => {
  const text = await readFile(FILE, 'utf8');
  assert.deepEqual(
    text.split('\n').filter((line) => line.includes('"pattern"') && /\\[pP]\{/.test(line)),
    [],
  );
});
