import { parseAsyncApi } from './conformance/asyncapi.ts';
import { startDemoService } from './conformance/demo-service.ts';
import { fetchPackages } from './conformance/packages.ts';
import { pythonTour } from './conformance/python-client.ts';
import { heyApiTour, lint, openapiFetchTour, sendExamples, sendReadmeCalls } from './conformance/steps.ts';
import { commandTour, runSuites } from './conformance/suites.ts';

/** Compares the published documents with the service by programs that nobody here wrote; too slow for `npm test`. */
async function main(): Promise<number> {
  await fetchPackages();
  const demo = await startDemoService();
  const steps: readonly (readonly [string, () => Promise<string[]>])[] = [
    ['Redocly accepts the OpenAPI document', lint],
    ['the AsyncAPI parser accepts the AsyncAPI document', parseAsyncApi],
    ['Prism finds nothing in the declared examples', sendExamples],
    ['Prism finds nothing in the calls of the README', () => sendReadmeCalls(demo)],
    [
      'Prism finds nothing in the tests of the client and of the command',
      () => runSuites('packages/client/', 'packages/cli/'),
    ],
    ['the packed command shows the tour of the README, and Prism finds nothing in it', commandTour],
    ['a client by openapi-typescript and openapi-fetch', () => openapiFetchTour(demo)],
    ['a client by @hey-api/openapi-ts', () => heyApiTour(demo)],
    ['a client by OpenAPI Generator for Python', () => pythonTour(demo)],
  ];
  let failed = 0;
  try {
    for (const [title, check] of steps) {
      console.log(`▶ ${title}`);
      const faults = await check();
      for (const fault of faults) console.log(`  ${fault}`);
      console.log(`${faults.length === 0 ? '✔' : '✖'} ${title}\n`);
      if (faults.length > 0) failed++;
    }
  } finally {
    await demo.stop();
  }
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
