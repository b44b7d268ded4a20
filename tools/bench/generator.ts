import { type HttpLoad, runHttpLoad } from './http-load.ts';
import { type MqttLoad, runMqttLoad } from './mqtt-load.ts';

export type Job =
  | { readonly kind: 'http'; readonly load: HttpLoad }
  | { readonly kind: 'mqtt'; readonly load: MqttLoad };

/** Generates load in a process of its own: what is measured does not share its thread. */
process.on('message', (job: Job) => {
  const work = job.kind === 'http' ? runHttpLoad(job.load) : runMqttLoad(job.load);
  work.then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
