import { seenText } from '@granary/contract/input/seen-text';
import { idLike } from '@granary/contract/input/text-schemas';
import type { NewSignInPolicy, SignInPolicy, SignInRecord } from '@granary/contract/sign-on';
import { toIso } from '@granary/contract/time';
import type { Grant } from './keys.ts';
import { grantsOf } from './people.ts';

/** The policy before one is stored: nobody gets rights from a group. */
const DEFAULTS: SignInPolicy = { groups: [], session_hours: 12, reconfirm: [], second_factor_for: 'nobody' };

/** Returns the whole policy, and refuses a grant that is not possible. */
export function policyOf(given: NewSignInPolicy): SignInPolicy {
  const policy = { ...DEFAULTS, ...given };
  grantsOf(policy.groups, 'groups');
  return policy;
}

/** The grants of a member of these groups. A member of the group in the settings administers everything, whatever the policy says. */
export function grantsOfGroups(
  policy: SignInPolicy,
  groups: readonly string[],
  adminGroup: string | null,
): Grant[] {
  const isMember = new Set(groups);
  const granted = policy.groups.filter(({ group }) => isMember.has(group));
  const administers = adminGroup !== null && isMember.has(adminGroup);
  const wanted = administers ? [{ role: 'administrator' as const }, ...granted] : granted;
  return grantsOf(wanted).map((grant) => ({ ...grant, source: 'oidc' }));
}

/** The grants that did not come from the identity provider. */
export const localGrants = (grants: readonly Grant[]): Grant[] =>
  grants.filter(({ source }) => source !== 'oidc');

/** The statements of an identity provider about a person. */
export type Claims = Readonly<Record<string, unknown>>;

const GROUPS_MAX = 2_000;
const GROUP_CHARS_MAX = 500;
const NAME_CHARS_MAX = 200;
const EMAIL_CHARS_MAX = 254;
const LOGIN_CHARS_MAX = 50;

export interface ClaimedGroups {
  readonly groups: readonly string[];
  /** There are too many groups for a token, so the provider has only named where they can be read (Entra). */
  readonly areLeftOut: boolean;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Claims)[name]
    : undefined;

/** The claim with this name, or the one that a path such as `realm_access.roles` leads to. */
export const claimAt = (claims: Claims, path: string): unknown =>
  fieldOf(claims, path) ?? path.split('.').reduce(fieldOf, claims as unknown);

/** A claim is a text or a list of texts. An e-mail address that nobody has verified is ignored. */
export function claimedGroups(claims: Claims, path: string): ClaimedGroups {
  const claim = path === 'email' && claims['email_verified'] !== true ? undefined : claimAt(claims, path);
  const listed = Array.isArray(claim) ? claim : [claim];
  const groups = listed.filter(
    (one): one is string => typeof one === 'string' && one !== '' && one.length <= GROUP_CHARS_MAX,
  );
  const [first = ''] = path.split('.', 1);
  const areLeftOut =
    claim === undefined &&
    (fieldOf(claims['_claim_names'], first) !== undefined || claims['hasgroups'] === true);
  return { groups: [...new Set(groups)].slice(0, GROUPS_MAX), areLeftOut };
}

export interface ClaimedPerson {
  readonly name: string;
  readonly email: string | null;
  /** The name for signing in, without characters that it must not have. */
  readonly login: string;
}

/** The e-mail address is shown, but never identifies a person. */
export function claimedPerson(claims: Claims): ClaimedPerson {
  const text = (name: string, charsMax: number): string | null => {
    const value = claims[name];
    const printable = typeof value === 'string' ? seenText(value.toWellFormed()).trim() : '';
    return printable === '' ? null : printable.slice(0, charsMax).toWellFormed().trim();
  };
  const short = text('preferred_username', NAME_CHARS_MAX);
  const email = text('email', EMAIL_CHARS_MAX);
  const [before = ''] = (short ?? email ?? '').split('@', 1);
  const login = idLike(before)
    ?.toLowerCase()
    .replace(/^[_-]+/, '')
    .slice(0, LOGIN_CHARS_MAX);
  return {
    name: text('name', NAME_CHARS_MAX) ?? short ?? email ?? 'unnamed',
    email,
    login: login || 'person',
  };
}

/** A sign-in with the identity provider, as administrators see it. */
export interface StoredSignIn extends Omit<SignInRecord, 'at'> {
  readonly signInNo: number;
  readonly atMs: number;
}

export const signInRecord = ({ signInNo: _, atMs, ...signIn }: StoredSignIn): SignInRecord => ({
  at: toIso(atMs),
  ...signIn,
});
