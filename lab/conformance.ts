import {
  commandTour,
  lint,
  parseAsyncApi,
  runSuites,
  sendExamples,
  sendReadmeCalls,
  startDemoService,
} from './conformance/checks.ts';
import { signInWithGlewlwyd } from './conformance/glewlwyd.ts';
import { readNodeRed } from './conformance/node-red.ts';
import { fetchPackages } from './conformance/outside-validators.ts';

/** Compares the published documents with the service, using foreign programs; this is too slow for `npm test`. */
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
    ['the bridge reads a flow of Node-RED over MQTT and HTTP', readNodeRed],
    ['a person signs in with Glewlwyd', signInWithGlewlwyd],
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
