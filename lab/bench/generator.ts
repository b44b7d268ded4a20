import { runAckLatencyLoad } from './ack-latency-load.ts';
import { runHostileLoad } from './hostile-device-load.ts';
import { type HttpLoad, runHttpLoad } from './http-load.ts';
import { type HttpWriteLoad, runHttpWriteLoad } from './http-write-load.ts';
import { type MqttLoad, runMqttLoad } from './mqtt-load.ts';
import { type PacedLoad, runPacedLoad } from './paced-load.ts';
import { type RequestLoad, runRequestLoad } from './request-load.ts';

export type Job =
  | { readonly kind: 'http'; readonly load: HttpLoad }
  | { readonly kind: 'http-write'; readonly load: HttpWriteLoad }
  | { readonly kind: 'paced'; readonly load: PacedLoad }
  | { readonly kind: 'requests'; readonly load: RequestLoad }
  | { readonly kind: 'mqtt' | 'ack-latency' | 'hostile'; readonly load: MqttLoad };

/** Generates load in a process of its own, so that it does not share a thread with the service. */
const early = new AbortController();
process.on('message', (job: Job | { readonly kind: 'end' }) => {
  if (job.kind === 'end') return early.abort();
  run(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});

function run(job: Job): Promise<unknown> {
  switch (job.kind) {
    case 'http':
      return runHttpLoad(job.load);
    case 'http-write':
      return runHttpWriteLoad(job.load);
    case 'mqtt':
      return runMqttLoad(job.load, early.signal);
    case 'paced':
      return runPacedLoad(job.load);
    case 'requests':
      return runRequestLoad(job.load, early.signal, () => process.send?.({ begun: true }));
    case 'ack-latency':
      return runAckLatencyLoad(job.load);
    case 'hostile':
      return runHostileLoad(job.load, early.signal);
  }
}

// The parent process has ended.
process.once('disconnect', () => process.exit());
