import { type Static, Type } from 'typebox';
import { Reconfirmations } from './confirmations.ts';
import { checker, closed, described } from './input/schema.ts';
import { line } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { GivenPassword, GrantFields, GrantRecord } from './people.ts';

/** The cookie of a sign-in that has begun at the identity provider. */
export const SIGN_ON_COOKIE = 'granary_sign_on';

const GROUP_GRANTS_MAX = 1_000;

/** What the members of a group of the identity provider may do, and where. */
export const GroupGrant = closed({
  group: described(
    'As the identity provider writes it: a name, a path such as `/silos/operators`, or the object id of Entra.',
    line(500),
  ),
  ...GrantFields,
});

const SECOND_FACTOR_FOR = ['nobody', 'administrators'] as const;

const PolicyFields = {
  groups: described(
    'What members of groups get, at every sign-in; a group may be named several times.',
    Type.Array(GroupGrant, { maxItems: GROUP_GRANTS_MAX }),
  ),
  session_hours: described(
    'After this time a session that began with the identity provider ends, also if it is used.',
    Type.Integer({ minimum: 1, maximum: 720 }),
  ),
  reconfirm: Reconfirmations,
  second_factor_for: described(
    '`administrators`: whoever administers needs a second factor or a passkey, or has signed in with the identity provider; API keys that belong to nobody do not. `nobody`: no one is asked for it.',
    Type.Enum(SECOND_FACTOR_FOR),
  ),
};

/** How people sign in, as one document for the whole site. */
export const SignInPolicy = closed(PolicyFields);

/** A field that is not given gets its default. */
export const NewSignInPolicy = closed({
  groups: Type.Optional(PolicyFields.groups),
  session_hours: Type.Optional(PolicyFields.session_hours),
  reconfirm: Type.Optional(PolicyFields.reconfirm),
  second_factor_for: Type.Optional(PolicyFields.second_factor_for),
});

const PolicyQuery = closed({ dry_run: Type.Optional(Type.Enum(['true', 'false'])) });

/** The effect of the policy on people who have signed in with the identity provider before. */
export const AppliedPolicy = closed({
  dry_run: Type.Boolean(),
  policy: SignInPolicy,
  people: described(
    'Whose rights are others from their next sign-in on, by the groups that came at the last one; at most 1,000.',
    Type.Array(
      closed({
        person_id: Type.String(),
        name: Type.String(),
        groups: Type.Array(Type.String()),
        grants: described('From the next sign-in on; empty: refused.', Type.Array(GrantRecord)),
      }),
    ),
  ),
});

const SIGN_IN_RESULTS = [
  'signed_in',
  'no_role',
  'groups_left_out',
  'disabled',
  'other_person',
  'link_ended',
  'not_valid',
] as const;

/** A sign-in with the identity provider. */
export const SignInRecord = closed({
  at: Timestamp,
  result: described(
    '`no_role`: no group of the policy came; `groups_left_out`: the provider has too many groups for a token and sent none; `disabled`: the person is disabled; `other_person`: the identity belongs to another person than the link; `link_ended`: the invitation was used before or has ended, or the session from which the identity was to be linked; `not_valid`: what the provider sent is not valid, `reason` says why.',
    Type.Enum(SIGN_IN_RESULTS),
  ),
  reason: Type.Union([Type.String(), Type.Null()]),
  person_id: described(
    '`null` where nobody is known by that identity.',
    Type.Union([Type.String(), Type.Null()]),
  ),
  name: Type.Union([Type.String(), Type.Null()]),
  issuer: Type.String(),
  subject: Type.Union([Type.String(), Type.Null()]),
  groups: described('That came, up to 200 of them.', Type.Array(Type.String())),
  address: Type.String(),
});

/** How single sign-on is set up, and whether the provider answers at this moment. */
export const IdentityProviderRecord = closed({
  issuer: Type.String(),
  client_id: Type.String(),
  groups_claim: Type.String(),
  admin_group: Type.Union([Type.String(), Type.Null()]),
  callback_path: described(
    'Behind the address with which people open the operators’ page, this is what the provider must allow.',
    Type.String(),
  ),
  logout_path: described('Where the provider may tell that somebody has signed out.', Type.String()),
  answers: Type.Boolean(),
  failure: Type.Union([Type.String(), Type.Null()]),
});

/** Without an invitation the identity alone decides who the person is. */
const NewSignOn = closed({
  invite: Type.Optional(
    described('The code of an invitation, whose person then signs in with this identity.', line(200)),
  ),
});

/** The password is needed, because somebody who has only the cookie of a session must not link another identity. */
const NewIdentityLink = closed({
  current_password: Type.Optional(described('Needed from whoever has one.', GivenPassword)),
});

export const SignOnStart = closed({
  url: described('Where the browser goes on, at the identity provider.', Type.String()),
});

/** The provider sends this as a form. */
const LogoutRequest = closed({ logout_token: Type.String({ minLength: 1, maxLength: 16_000 }) });
export const LoggedOut = closed({ sessions: Type.Integer({ minimum: 0 }) });

export type SignInRecord = Static<typeof SignInRecord>;
export type SignInResult = SignInRecord['result'];
export type IdentityProviderRecord = Static<typeof IdentityProviderRecord>;
export type GroupGrant = Static<typeof GroupGrant>;
export type SignInPolicy = Static<typeof SignInPolicy>;
export type NewSignInPolicy = Static<typeof NewSignInPolicy>;
export type AppliedPolicy = Static<typeof AppliedPolicy>;

export const checkNewSignInPolicy = checker(NewSignInPolicy);
export const checkPolicyQuery = checker(PolicyQuery);
export const checkNewSignOn = checker(NewSignOn);
export const checkNewIdentityLink = checker(NewIdentityLink);
export const checkLogoutRequest = checker(LogoutRequest);
