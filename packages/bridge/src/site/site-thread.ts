import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { withDevice, withoutDevice } from './edit-site.ts';
import { readSiteFiles } from './site-file.ts';
import type { ReadAgain, SiteChange, SiteJob } from './site-reader.ts';

const changed = (text: string, change: SiteChange): string =>
  'add' in change ? withDevice(text, change.add) : (withoutDevice(text, change.remove) ?? text);

async function readAgain({ file, library, change }: SiteJob): Promise<ReadAgain> {
  if (change === null) return { text: '', ...(await readSiteFiles(file, library)) };
  const text = changed(await readFile(file, 'utf8'), change);
  return { text, ...(await readSiteFiles(file, library, text)) };
}

parentPort?.postMessage(await readAgain(workerData as SiteJob));
