import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** Set by `npm test`, which compares what all processes touched with the published document. */
const FOLDER = process.env['GRANARY_TEST_TOUCHED'];

const noted = new Set<string>();

/** One line for each different answer: operation, status and error code, `-` where there is none. */
export function noteTouched(operationId: string | null, status: number, code: string | null): void {
  if (FOLDER === undefined) return;
  const line = `${operationId ?? '-'} ${status} ${code ?? '-'}\n`;
  if (noted.has(line)) return;
  noted.add(line);
  appendFileSync(join(FOLDER, `${process.pid}.txt`), line);
}
