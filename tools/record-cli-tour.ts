import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InstalledFarm } from './cli-tour/installed-farm.ts';
import { recordTour, withTour } from './cli-tour/tour.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';

/** Runs the tour with the packed command, and writes what it showed into docs/cli.md. */
const PAGE = join(REPOSITORY_ROOT, 'docs/cli.md');
const farm = await InstalledFarm.start();
try {
  const { text, faults } = await recordTour(farm);
  console.log(text);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  await writeFile(PAGE, withTour(await readFile(PAGE, 'utf8'), text));
} finally {
  await farm.stop();
}
