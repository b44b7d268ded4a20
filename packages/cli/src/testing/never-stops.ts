import { runUntilSignal } from '../until-signal.ts';

/** A program that works until it is asked to end, which then takes for ever. */
setInterval(() => undefined, 1_000);
await runUntilSignal(async (onStop) => {
  onStop(() => {
    console.log('stopping');
    return new Promise(() => undefined);
  });
  console.log('running');
});
