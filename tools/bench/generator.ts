import { type HttpLoad, runHttpLoad } from './http-load.ts';
import { type MqttLoad, runMqttLoad } from './mqtt-load.ts';

export type Job =
  | { readonly kind: 'http'; readonly load: HttpLoad }
  | { readonly kind: 'mqtt'; readonly load: MqttLoad };

/** Generates load in a process of its own: what is measured does not share its thread. */
const early = new AbortController();
process.on('message', (job: Job | { readonly kind: 'end' }) => {
  if (job.kind === 'end') return early.abort();
  const work = job.kind === 'http' ? runHttpLoad(job.load) : runMqttLoad(job.load, early.signal);
  work.then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
// Whoever started it is gone.
process.once('disconnect', () => process.exit());
