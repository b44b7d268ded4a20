import { userInfo } from 'node:os';
import type { Actor } from '@granary/contract/audit';
import type { Environment } from '../frame/environment.ts';

/** Who sits at this terminal, for the audit log and for acknowledgements; cron and containers set no variable. */
export const personName = (env: Environment['env']): string | undefined =>
  [env['GRANARY_ACTOR'], env['USER'], env['LOGNAME'], env['USERNAME'], systemName()].find(
    (name) => name !== undefined && name.trim() !== '',
  );

function systemName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // The system does not know the user, as in a container with any user id.
    return undefined;
  }
}

/** The options of a call that changes something. */
export function asActor(env: Environment['env']): { readonly actor?: string } {
  const actor = personName(env);
  return actor === undefined ? {} : { actor };
}

/** The person, or the name of the key where nobody is named. */
export const whoText = (who: Actor | null): string => (who === null ? '-' : (who.actor ?? who.key_name));
