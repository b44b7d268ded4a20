import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DEFAULT_ADDRESSES } from '@granary/contract/endpoints/declaration/groups';
import { asyncApiDocument } from '@granary/contract/reference/asyncapi';
import type { Json } from '@granary/contract/reference/component-schemas';
import { messageSchemas } from '@granary/contract/reference/message-schemas';
import { openApiDocument } from '@granary/contract/reference/openapi';
import { outlineModule } from '@granary/contract/reference/outline';
import { sentencePage } from '@granary/contract/reference/pages';
import { VERSION } from '@granary/server/process/version';
import { textsModule } from '@granary/words/declaration';
import { errorPage } from '../packages/contract/src/reference/pages.ts';
import ENGLISH from '../packages/words/catalogue/en.json' with { type: 'json' };
import { REPOSITORY_ROOT } from './repository-files.ts';

/** A fenced block whose first line names the kind of device and the topic. */
const EXAMPLE = /^```json (\S+)\n(.*?)^```$/gms;
const LINE_CHARS_MAX = 120;

const OUTLINE = 'packages/contract/src/outline.ts';

/** The examples in the device maker's guide by kind of device and topic. */
export function guideExamples(): Record<string, Json[]> {
  const guide = readFileSync(join(REPOSITORY_ROOT, 'docs/devices.md'), 'utf8');
  const examples: Record<string, Json[]> = {};
  for (const [, message = '', text = ''] of guide.matchAll(EXAMPLE)) {
    examples[message] = [...(examples[message] ?? []), JSON.parse(text)];
  }
  return examples;
}

/** JSON for people: a value that fits is on one line, so that a change shows its surroundings in a review. */
export const readableJson = (value: unknown): string => `${write(value, '')}\n`;

function write(value: unknown, indent: string): string {
  const short = oneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + short.length <= LINE_CHARS_MAX)
    return short;
  const deeper = `${indent}  `;
  const [open, close, lines] = Array.isArray(value)
    ? ['[', ']', value.map((item) => write(item, deeper))]
    : [
        '{',
        '}',
        Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${write(one, deeper)}`),
      ];
  return `${open}\n${lines.map((line) => deeper + line).join(',\n')}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${oneLine(one)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** The documents that are made from the contract; the keys are their paths. `npm run references` writes them. */
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
    ['docs/sentences.md', sentencePage()],
    [OUTLINE, outlineModule(readableJson)],
    ['packages/words/src/texts.d.ts', textsModule(ENGLISH)],
    // The service shows the examples, too, but does not contain the guide.
    ['packages/contract/src/reference/guide-examples.json', readableJson(examples)],
    ...Array.from(messageSchemas(examples), ([name, schema]): [string, string] => [
      `docs/schemas/${name}`,
      readableJson(schema),
    ]),
  ]);
}

/** The paths of the documents that differ from the contract. */
export async function outdatedReferences(): Promise<string[]> {
  const outdated: string[] = [];
  for (const [path, text] of references()) {
    const stored = await readFile(join(REPOSITORY_ROOT, path), 'utf8').catch(() => null);
    if (stored !== text) outdated.push(path);
  }
  return outdated;
}

async function writeReferences(): Promise<void> {
  const outdated = await outdatedReferences();
  // The other documents are made from the outline, too, so they are made anew by a process that has read the new one.
  const written = outdated.includes(OUTLINE) ? [OUTLINE] : outdated;
  for (const path of written) {
    const file = join(REPOSITORY_ROOT, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, references().get(path) ?? '');
    console.log(`wrote ${path}`);
  }
  if (outdated.includes(OUTLINE))
    process.exitCode = spawnSync(process.execPath, [import.meta.filename], { stdio: 'inherit' }).status;
}

if (import.meta.main) await writeReferences();
