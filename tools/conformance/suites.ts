import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { passOn, SERVICE_HEADER } from '@granary/server/testing/validated-url';
import { REPOSITORY_ROOT, repositoryFiles } from '../repository-files.ts';
import { exitCodeOf, start } from '../run.ts';
import { Prism } from './prism.ts';

/** Runs the tests of our client and of the command with Prism between them and every service that they start. */
export async function runSuites(document: string, folders: readonly string[]): Promise<string[]> {
  let requests = 0;
  // Each test has a service of its own, so Prism sends everything here, and from here it goes to the named service.
  const switchboard = createServer((asked, answer) => {
    requests++;
    const { [SERVICE_HEADER]: service, ...headers } = asked.headers;
    asked.headers = headers;
    passOn(asked, answer, String(service));
  });
  switchboard.listen(0, '127.0.0.1');
  await once(switchboard, 'listening');
  const prism = await Prism.start(
    document,
    `http://127.0.0.1:${(switchboard.address() as AddressInfo).port}`,
  );
  try {
    const files = repositoryFiles(REPOSITORY_ROOT).filter(
      (path) => path.endsWith('.test.ts') && folders.some((folder) => path.startsWith(folder)),
    );
    const args = ['--test', '--test-reporter=dot', '--test-timeout=240000', ...files];
    const exitCode = await exitCodeOf(start(process.execPath, args, { GRANARY_TEST_PRISM: prism.url }));
    console.log(`  ${files.length} test files, ${requests} requests through Prism`);
    const faults = exitCode === 0 ? [] : [`the tests ended with ${exitCode}`];
    return [...faults, ...prism.violations];
  } finally {
    await prism.stop();
    switchboard.close();
    switchboard.closeAllConnections();
  }
}
