import type { GrantRecord } from '@granary/contract/people';
import { texts } from '../texts.ts';

/** The places for which a grant holds, in words. */
function placesOf({ facilities, device_ids }: GrantRecord): string {
  const places = [...(facilities ?? []), ...(device_ids ?? [])];
  return places.length === 0 ? texts.value.people.everywhere : places.join(', ');
}

/** The grants in words: what each role means, and where it holds. */
export const meaningsOf = (grants: readonly GrantRecord[]): string[] =>
  grants.map((grant) => {
    const { people, keys } = texts.value;
    const meaning =
      grant.role === null
        ? grant.scopes.map((scope) => keys.scopeMeanings[scope as keyof typeof keys.scopeMeanings]).join('; ')
        : people.roles[grant.role];
    return `${meaning} (${placesOf(grant)})`;
  });
