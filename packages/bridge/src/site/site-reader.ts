import { Worker } from 'node:worker_threads';
import type { Mapping } from '../mapping/mapping.ts';
import type { SiteDevice, SiteFiles } from './site-file.ts';

/** A change that people make in the list of devices. */
export type SiteChange = { readonly add: SiteDevice } | { readonly remove: string };

export interface SiteJob {
  readonly file: string;
  readonly library: ReadonlyMap<string, Mapping>;
  /** The change is made in the text that is read; the file itself stays as it is. */
  readonly change: SiteChange | null;
}

/** The files of a site, and the text of the site file with the change. */
export type ReadAgain = SiteFiles & { readonly text: string };

/** Reads the site in a separate thread, because a long file would delay all polls by seconds. */
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
