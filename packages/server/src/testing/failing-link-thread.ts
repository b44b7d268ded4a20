import { workerData } from 'node:worker_threads';
import { runLinkThread } from '../devices/link/run-link-thread.ts';

/** A thread of the device link that fails when it is told to forget sensors. */
runLinkThread(workerData);
workerData.calls.port.on('message', ({ call }: { readonly call?: string }) => {
  if (call === 'forgetSensors') throw new Error('a fault of the thread');
});
