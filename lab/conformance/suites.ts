import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { passOn, SERVICE_HEADER, validatedUrl } from '@granary/server/testing/validated-url';
import { InstalledFarm } from '../../tools/cli-tour/installed-farm.ts';
import { differences, recordTour, tourIn } from '../../tools/cli-tour/tour.ts';
import { REPOSITORY_ROOT, repositoryFiles } from '../../tools/repository-files.ts';
import { Prism } from './prism.ts';
import { DOCUMENT, run } from './steps.ts';

/** Runs the tests of our client and of the command with Prism between them and every service that they start. */
export const runSuites = (...folders: readonly string[]): Promise<string[]> =>
  withPrism((prismUrl) => {
    const files = repositoryFiles(REPOSITORY_ROOT).filter(
      (path) => path.endsWith('.test.ts') && folders.some((folder) => path.startsWith(folder)),
    );
    console.log(`  ${files.length} test files`);
    const args = ['--test', '--test-reporter=dot', '--test-timeout=240000', ...files];
    return run(process.execPath, args, { GRANARY_TEST_PRISM: prismUrl });
  });

/** Runs the tour of docs/cli.md with the packed command, compares it with docs/cli.md, and lets it pass through Prism. */
export async function commandTour(): Promise<string[]> {
  const farm = await InstalledFarm.start();
  const undos: (() => void)[] = [];
  try {
    const page = await readFile(join(REPOSITORY_ROOT, 'docs/cli.md'), 'utf8');
    const { text, faults } = await recordTour(farm);
    const throughPrism = await withPrism(async (prismUrl) => {
      const url = await validatedUrl({ after: (undo) => undos.push(undo) }, farm.url, prismUrl);
      const env = { GRANARY_URL: url, GRANARY_API_KEY: await farm.adminKey() };
      return (await recordTour(farm, env)).faults;
    });
    return [...faults, ...differences(tourIn(page), text), ...throughPrism];
  } finally {
    for (const undo of undos) undo();
    await farm.stop();
  }
}

/** Starts a Prism for several services; returns the faults that `use` finds, and those that Prism finds. */
async function withPrism(use: (prismUrl: string) => Promise<string[]>): Promise<string[]> {
  let requests = 0;
  // Prism knows one address, so it sends everything here, and from here it goes to the service that is named.
  const distributor = createServer((asked, answer) => {
    requests++;
    const { [SERVICE_HEADER]: service, ...headers } = asked.headers;
    asked.headers = headers;
    passOn(asked, answer, String(service));
  });
  distributor.listen(0, '127.0.0.1');
  await once(distributor, 'listening');
  const { port } = distributor.address() as AddressInfo;
  const prism = await Prism.start(DOCUMENT, `http://127.0.0.1:${port}`);
  try {
    const faults = await use(prism.url);
    console.log(`  ${requests} requests through Prism`);
    return [...faults, ...(requests === 0 ? ['nothing passed through Prism'] : []), ...prism.violations];
  } finally {
    await prism.stop();
    distributor.close();
    distributor.closeAllConnections();
  }
}
