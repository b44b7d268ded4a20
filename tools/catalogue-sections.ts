import { readFile } from 'node:fs/promises';
import type { Sources } from '../packages/words/src/compile.ts';

const CATALOGUE = /\/words\/catalogue\/\w+\.json$/;

/** What a program is built with of each catalogue; `contentOf` takes the sections that it uses. */
export const catalogueSections = (contentOf: (catalogue: Sources) => object) => ({
  name: 'catalogue-sections',
  async load(id: string) {
    if (!CATALOGUE.test(id)) return null;
    const content = JSON.stringify(contentOf(JSON.parse(await readFile(id, 'utf8'))));
    return { code: `export default JSON.parse(${JSON.stringify(content)});`, moduleType: 'js' as const };
  },
});
