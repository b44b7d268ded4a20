import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'rolldown';

/** What the sources load by its address instead of importing it. */
export interface Addresses {
  /** Modules of threads and processes, which are built like the first one. */
  readonly modules: Set<string>;
  /** Folders whose files are read at run time. */
  readonly folders: Set<string>;
}

const ADDRESS = /new URL\(\s*'(\.{1,2}\/[^'\n]+)',\s*import\.meta\.url,?\s*\)/g;

/** Makes every address of the sources one of the built folder, and notes what has to be there. */
export function builtAddresses(addresses: Addresses, root: string): Plugin {
  const sources = join(root, 'packages/');
  return {
    name: 'built-addresses',
    transform(code, id) {
      if (!id.startsWith(sources) || !code.includes('import.meta')) return null;
      const built = code.replace(ADDRESS, (_, address: string) => {
        const target = resolve(dirname(id), address);
        return `new URL('${builtAddress(address, target, addresses, root)}', import.meta.url)`;
      });
      // Whatever else a module finds out about its own place would be wrong in the built folder.
      if (built.replaceAll(', import.meta.url)', '').includes('import.meta')) {
        throw new Error(`${id} uses import.meta in a way that the build of the service does not know`);
      }
      return built;
    },
  };
}

function builtAddress(address: string, target: string, addresses: Addresses, root: string): string {
  const name = basename(target);
  if (target.endsWith('.ts')) {
    addNamed(addresses.modules, target);
    return `./${name.replace(/\.ts$/, '.js')}`;
  }
  if (target.startsWith(join(root, 'dist/'))) return relative(join(root, 'dist/service'), target);
  if (!address.endsWith('/')) throw new Error(`${target}: only folders are copied into the built service`);
  addNamed(addresses.folders, target);
  return `./${name}/`;
}

/** All are in one folder. */
function addNamed(paths: Set<string>, path: string): void {
  const other = [...paths].find((one) => one !== path && basename(one) === basename(path));
  if (other !== undefined)
    throw new Error(`${path} and ${other} have the same name, so they cannot both be built`);
  paths.add(path);
}
