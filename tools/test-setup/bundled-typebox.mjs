// Loaded by Node before every program of the tests; an old Node loads it too and must pass over it.
import * as module from 'node:module';

const PACKAGES = new URL('../../packages/', import.meta.url).href;
const BUNDLE = new URL('../../node_modules/.cache/typebox/', import.meta.url).href;

/** Only sources of this repository get the bundle; what users install is tested with the library as it is. */
module.registerHooks?.({
  resolve(specifier, context, nextResolve) {
    const part = /^typebox(?:\/(\w+))?$/.exec(specifier);
    if (part === null || !context.parentURL?.startsWith(PACKAGES)) return nextResolve(specifier, context);
    return { url: `${BUNDLE}${part[1] ?? 'index'}.mjs`, format: 'module', shortCircuit: true };
  },
});
