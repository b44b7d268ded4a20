/** A program that waits at its start, for example for a broker that does not answer. */
import { runUntilSignal } from '@granary/cli/running/until-signal';

setInterval(() => undefined, 1_000);
await runUntilSignal(async () => {
  console.log('starting');
  await new Promise(() => undefined);
});
