import { workerData } from 'node:worker_threads';
import { runLinkThread } from './run-link-thread.ts';

/** The thread in which the connections of devices are read and written. */
runLinkThread(workerData);
