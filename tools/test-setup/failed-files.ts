import type { TestEvent } from 'node:test/reporters';

/**
 * A reporter for Node's test runner that writes the path of each file with a failed test. A test may be defined in another file,
 * which its events name; the summary of a process names the file that was run.
 */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    const hasFailed = type === 'test:fail' || (type === 'test:summary' && !data.success);
    if (hasFailed && data.file !== undefined) yield `${data.file}\n`;
  }
}
