import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@granary/contract/reference/json';
import { REPOSITORY_ROOT } from './repository-files.ts';

/** A fenced block whose first line names the kind of device and the topic. */
const EXAMPLE = /^```json (\S+)\n(.*?)^```$/gms;

/** The examples in the device maker's guide by kind of device and topic. */
export function guideExamples(): Record<string, Json[]> {
  const guide = readFileSync(join(REPOSITORY_ROOT, 'docs/devices.md'), 'utf8');
  const examples: Record<string, Json[]> = {};
  for (const [, message = '', text = ''] of guide.matchAll(EXAMPLE)) {
    examples[message] = [...(examples[message] ?? []), JSON.parse(text)];
  }
  return examples;
}
