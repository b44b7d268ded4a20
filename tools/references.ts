import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DEFAULT_ADDRESSES } from '@granary/contract/endpoints/declaration/groups';
import { asyncApiDocument } from '@granary/contract/reference/asyncapi';
import { errorPage } from '@granary/contract/reference/error-page';
import { messageSchemas } from '@granary/contract/reference/message-schemas';
import { openApiDocument } from '@granary/contract/reference/openapi';
import { VERSION } from '@granary/server/process/version';
import { guideExamples } from './guide-examples.ts';
import { readableJson } from './readable-json.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';

/** The documents that are made from the contract, by their paths; `npm run references` writes them. */
export function references(): ReadonlyMap<string, string> {
  const examples = guideExamples();
  const openApi = openApiDocument({
    version: VERSION,
    addresses: DEFAULT_ADDRESSES,
    serverUrl: 'http://127.0.0.1:8080',
  });
  const asyncApi = asyncApiDocument({
    version: VERSION,
    host: '127.0.0.1',
    examples,
    ports: { mqtt: 1883, mqtts: 8883, ws: 8080, wss: 8443 },
  });
  return new Map([
    ['docs/openapi.json', readableJson(openApi)],
    ['docs/asyncapi.json', readableJson(asyncApi)],
    ['docs/errors.md', errorPage()],
    // The service, which has no guide, shows the examples, too.
    ['packages/contract/src/reference/guide-examples.json', readableJson(examples)],
    ...Array.from(messageSchemas(examples), ([name, schema]): [string, string] => [
      `docs/schemas/${name}`,
      readableJson(schema),
    ]),
  ]);
}

/** The paths of the documents that are not as the contract says. */
export async function outdatedReferences(): Promise<string[]> {
  const outdated: string[] = [];
  for (const [path, text] of references()) {
    const stored = await readFile(join(REPOSITORY_ROOT, path), 'utf8').catch(() => null);
    if (stored !== text) outdated.push(path);
  }
  return outdated;
}

async function writeReferences(): Promise<void> {
  for (const path of await outdatedReferences()) {
    const file = join(REPOSITORY_ROOT, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, references().get(path) ?? '');
    console.log(`wrote ${path}`);
  }
}

if (import.meta.main) await writeReferences();
