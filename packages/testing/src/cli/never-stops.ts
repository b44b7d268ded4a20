import { runUntilSignal } from '@granary/cli/running/until-signal';

/** A program whose stop never finishes. */
setInterval(() => undefined, 1_000);
await runUntilSignal(async (onStop) => {
  onStop(() => {
    console.log('stopping');
    return new Promise(() => undefined);
  });
  console.log('running');
});
