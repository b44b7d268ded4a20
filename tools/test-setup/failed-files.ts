import type { TestEvent } from 'node:test/reporters';

/** A reporter for Node's test runner that writes one line for each failed test: the path of its file. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.file !== undefined) yield `${data.file}\n`;
  }
}
