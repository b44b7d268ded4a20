import { parentPort, workerData } from 'node:worker_threads';
import { parseDocument, stringify } from 'yaml';
import type { YamlJob, YamlOutcome } from './yaml.ts';

const READING = { uniqueKeys: true, version: '1.2', schema: 'core' } as const;
/**
 * Words such as `yes` are quoted, because older readers take them for true. Long texts stay on one line, so that a comparison
 * of two documents shows whole lines.
 */
const WRITING = { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;

parentPort?.postMessage(outcomeOf(workerData as YamlJob));

function outcomeOf(job: YamlJob): YamlOutcome {
  if ('value' in job) return { text: stringify(job.value, WRITING) };
  const document = parseDocument(job.yaml, READING);
  // A warning is about a tag that would be ignored.
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) return { fault: firstLine(problem.message) };
  try {
    // Aliases are refused, because a short text with aliases can be a huge document.
    return { text: JSON.stringify(document.toJS({ maxAliasCount: 0 }) ?? null) };
  } catch (error) {
    if (error instanceof ReferenceError) return { fault: 'it has aliases, which are not accepted' };
    throw error;
  }
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').replace(/:$/, '');
}
