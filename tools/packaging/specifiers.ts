import { posix } from 'node:path';

/** The compiler begins each import and export on a new line, and may put its names on several lines. */
const STATIC_OR_DYNAMIC_IMPORT =
  /(^(?:import|export|\})[^'"\n]*?\bfrom\s+|^import\s+|\bimport\(\s*)(['"])([^'"\n]+)\2/gm;
const WORKSPACE_PACKAGE = /^@granary\/([^/]+)(?:\/(.+))?$/;
const OWN_EXTENSION = /(?<!\.d)\.ts$/;

/** Makes every import of a compiled file point to compiled files; `path` is relative to the folder of all packages. */
export function withCompiledSpecifiers(path: string, text: string): string {
  return text.replace(STATIC_OR_DYNAMIC_IMPORT, (_, before: string, quote: string, specifier: string) => {
    return `${before}${quote}${compiledSpecifier(path, specifier)}${quote}`;
  });
}

function compiledSpecifier(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return specifier.replace(OWN_EXTENSION, '.js');
  const workspace = WORKSPACE_PACKAGE.exec(specifier);
  if (workspace === null) return specifier;
  const [, name = '', module = 'index'] = workspace;
  const relative = posix.relative(posix.dirname(path), `${name}/src/${module}.js`);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/** The packages outside the workspace that a compiled file imports; modules of Node are none. */
export function importedLibraries(text: string): string[] {
  const specifiers = Array.from(
    text.matchAll(STATIC_OR_DYNAMIC_IMPORT),
    ([, , , specifier = '']) => specifier,
  );
  const bare = specifiers.filter((one) => !one.startsWith('.') && !one.startsWith('node:'));
  return bare.map((one) => /^(@[^/]+\/)?[^/]+/.exec(one)?.[0] ?? one);
}
