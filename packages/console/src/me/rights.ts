import type { GrantRecord } from '@granary/contract/people';
import { texts } from '../texts/texts.ts';

/** Where a grant holds. */
export function placesOf({ facilities, device_ids }: GrantRecord): string {
  const places = [...(facilities ?? []), ...(device_ids ?? [])];
  return places.length === 0 ? texts.value.people.everywhere : places.join(', ');
}

/** In a few words: each role, and where it holds. */
export function rightsOf(grants: readonly GrantRecord[]): string {
  const { people } = texts.value;
  return grants
    .map((grant) => {
      const [title = ''] =
        grant.role === null ? [grant.scopes.join(', ')] : people.roles[grant.role].split(':');
      return people.at(title, placesOf(grant));
    })
    .join(', ');
}

/** In whole words: what each role means, and where it holds. */
export const meaningsOf = (grants: readonly GrantRecord[]): string[] =>
  grants.map((grant) => {
    const { people, keys } = texts.value;
    const meaning =
      grant.role === null
        ? grant.scopes.map((scope) => keys.scopeMeanings[scope as keyof typeof keys.scopeMeanings]).join('; ')
        : people.roles[grant.role];
    return `${meaning} (${placesOf(grant)})`;
  });
