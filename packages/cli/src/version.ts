import manifest from '../package.json' with { type: 'json' };

/** The version of the command. */
export const VERSION = manifest.version;
