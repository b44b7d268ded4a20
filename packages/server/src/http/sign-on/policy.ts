import { isDeepStrictEqual } from 'node:util';
import type { KnownPerson } from '@granary/app/sign-on/sign-on';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { AppliedPolicy, SignInPolicy } from '@granary/contract/sign-on';
import { grantRecord } from '@granary/core/people';
import { grantsOfGroups, localGrants, policyOf } from '@granary/core/sign-on';
import type { FastifyInstance } from 'fastify';
import { refuseLimited } from '../access/credentials.ts';
import { success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';

const SHOWN_MAX = 1_000;

export function policyRoutes(routes: FastifyInstance, parts: Parts<'settings' | 'reads' | 'changes'>): void {
  const { reads, changes, settings } = parts;
  const declared = endpoints.signOn;

  register(routes, declared.policy, async ({ request }) => {
    refuseLimited(request, 'read the policy of signing in');
    return success(await reads(request).signOn.policy());
  });

  register(routes, declared.putPolicy, async (exchange) => {
    const { request, read } = exchange;
    refuseLimited(request, 'change the policy of signing in');
    const isDryRun = read.query(request).dry_run === 'true';
    const policy = policyOf(read.body(request));
    const people = peopleChanged(await reads(request).signOn.knownPeople(), policy, settings.oidcAdminGroup);
    if (!isDryRun) await changes(exchange).signOn.putPolicy(policy);
    return success({ dry_run: isDryRun, policy, people });
  });
}

/** The people whose rights the policy would change. */
function peopleChanged(
  known: readonly KnownPerson[],
  policy: SignInPolicy,
  adminGroup: string | null,
): AppliedPolicy['people'] {
  return known
    .map(({ keyId, name, groups, grants }) => {
      const next = [...localGrants(grants), ...grantsOfGroups(policy, groups, adminGroup)];
      const isChanged = !isDeepStrictEqual(next, grants);
      return {
        isChanged,
        record: { person_id: keyId, name, groups: [...groups], grants: next.map(grantRecord) },
      };
    })
    .filter(({ isChanged }) => isChanged)
    .slice(0, SHOWN_MAX)
    .map(({ record }) => record);
}
