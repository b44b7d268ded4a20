import type { Environment } from '../frame/environment.ts';

/** Who sits at this terminal, for the audit log and for acknowledgements. */
export const personName = (env: Environment['env']): string | undefined =>
  [env['GRANARY_ACTOR'], env['USER'], env['LOGNAME'], env['USERNAME']].find(
    (name) => name !== undefined && name.trim() !== '',
  );

/** The options of a call that changes something. */
export function asActor(env: Environment['env']): { readonly actor?: string } {
  const actor = personName(env);
  return actor === undefined ? {} : { actor };
}
