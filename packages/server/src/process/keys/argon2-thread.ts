import { argon2Sync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '../lower-priority.ts';
import type { Argon2Job } from './argon2.ts';

lowerPriority();
parentPort?.on('message', (job: Argon2Job) => parentPort?.postMessage(argon2Sync('argon2id', job)));
