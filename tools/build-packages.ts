import { join } from 'node:path';
import { buildPackage } from './packaging/build.ts';
import { PUBLISHED_PACKAGES } from './packaging/published-packages.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';

for (const published of PUBLISHED_PACKAGES) {
  const folder = join(REPOSITORY_ROOT, 'dist', published.name);
  await buildPackage(published, folder);
  console.log(`built ${folder}; npm pack there makes the file that users install`);
}
