import { parentPort, workerData } from 'node:worker_threads';
import { type Document, isMap, isScalar, LineCounter, parseDocument, stringify, visit } from 'yaml';
import { lowerPriority } from '../../process/lower-priority.ts';
import type { YamlJob, YamlMessage, YamlOutcome } from './yaml.ts';

/** Keys are compared here: the library compares each with all others of its map, which takes minutes for a long one. */
const READING = { uniqueKeys: false, version: '1.2', schema: 'core' } as const;
/**
 * Words such as `yes` are quoted, because older readers take them for true. Long texts stay on one line, so that a comparison
 * of two documents shows whole lines.
 */
const WRITING = { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;

const post = (message: YamlMessage): void => parentPort?.postMessage(message);
lowerPriority();
post('begun');
post(outcomeOf(workerData as YamlJob));

function outcomeOf(job: YamlJob): YamlOutcome {
  if ('value' in job) return { text: stringify(job.value, WRITING) };
  const lineCounter = new LineCounter();
  const document = parseDocument(job.yaml, { ...READING, lineCounter });
  // A warning is about a tag that would be ignored.
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) return { fault: firstLine(problem.message) };
  const repeatedAt = repeatedKeyIn(document);
  if (repeatedAt !== null) {
    const { line, col } = lineCounter.linePos(repeatedAt);
    return { fault: `Map keys must be unique at line ${line}, column ${col}` };
  }
  try {
    // Aliases are refused, because a short text with aliases can be a huge document.
    return { text: JSON.stringify(document.toJS({ maxAliasCount: 0 }) ?? null) };
  } catch (error) {
    if (error instanceof ReferenceError) return { fault: 'it has aliases, which are not accepted' };
    throw error;
  }
}

/** The position of the first key that its map has already. */
function repeatedKeyIn(document: Document): number | null {
  let found: number | null = null;
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of isMap(map) ? map.items : []) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          found = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').replace(/:$/, '');
}
