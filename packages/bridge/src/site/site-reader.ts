import { Worker } from 'node:worker_threads';
import type { Mapping } from '../mapping/mapping.ts';
import type { SiteDevice, SiteFiles } from './site-file.ts';

/** What people change in the list of devices. */
export type SiteChange = { readonly add: SiteDevice } | { readonly remove: string };

export interface SiteJob {
  readonly file: string;
  readonly library: ReadonlyMap<string, Mapping>;
  /** Made in the text that is read; the file itself stays as it is. */
  readonly change: SiteChange | null;
}

/** The files of a site, and the text of the site file with the change. */
export type ReadAgain = SiteFiles & { readonly text: string };

/** In a thread of its own, because a long file would hold all polls for seconds. */
export async function readSiteAgain(workerData: SiteJob): Promise<ReadAgain> {
  const thread = new Worker(new URL('./site-thread.ts', import.meta.url), { workerData });
  try {
    return await new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', () => reject(new Error('the thread that reads the site file has ended')));
    });
  } finally {
    await thread.terminate();
  }
}
