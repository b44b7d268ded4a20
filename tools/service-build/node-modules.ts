import { isBuiltin } from 'node:module';
import type { Plugin } from 'rolldown';

const PREFIX = '\0of-node-';

/**
 * Takes the modules of Node without importing them. An import reads every export, and some of them load further parts of Node: that of
 * `node:http` loads its HTTP client, which takes 50 ms and 10 MiB that a service does not need.
 */
export function withoutImportsOfNode(): Plugin {
  return {
    name: 'without-imports-of-node',
    resolveId(specifier, importer, { kind }) {
      // The bundler's own functions are in a part that is loaded before all others.
      const isOfBundler = importer?.startsWith('\0') ?? true;
      if (isOfBundler || kind !== 'import-statement' || !isBuiltin(specifier)) return null;
      return `${PREFIX}${specifier}`;
    },
    load(id) {
      if (!id.startsWith(PREFIX)) return null;
      const specifier = id.slice(PREFIX.length);
      const names = Object.keys(process.getBuiltinModule(specifier) ?? {}).filter((name) =>
        /^\w+$/.test(name),
      );
      // The bundler leaves out the names that nobody imports.
      return [
        `const module = process.getBuiltinModule('${specifier}');`,
        'export default module;',
        ...names
          .filter((name) => name !== 'default')
          .map((name) => `const _${name} = module.${name}; export { _${name} as ${name} };`),
      ].join('\n');
    },
  };
}
