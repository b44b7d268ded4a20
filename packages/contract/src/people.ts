import { type Static, Type } from 'typebox';
import { checker, closed, described } from './input/schema.ts';
import { form, line, SEEN_TEXT } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { DeviceIds, Facilities, OptionalTimestamp, ROLES, type Role } from './keys.ts';
import { EmailTarget } from './notifications.ts';
import { sentence } from './sentences/codes.ts';

const GRANTS_MAX = 100;

/** The name with which a person signs in. */
export const Login = described(
  'The short name with which the person signs in; it cannot be changed.',
  Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,62}$', ...form(sentence('login_name')) }),
);

/** A long password instead of a complicated one: NIST SP 800-63B requires 15 characters for a password alone, and 8 with a second factor. */
export const PASSWORD_CHARS_MIN = 15;
export const PASSWORD_CHARS_MIN_OF_TWO = 8;
export const Password = Type.String({ minLength: PASSWORD_CHARS_MIN, maxLength: 200 });
/** A password that is compared with the stored one. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: 200 });
/** The code of an authenticator app, or a recovery code. */
export const GivenCode = Type.String({ minLength: 1, maxLength: 50 });

/** Needed beside the password if the person has set up a second factor. */
export const SecondFactorCode = Type.Optional(
  described('The code of the authenticator app, or a recovery code; each counts once.', GivenCode),
);

/** A PIN is valid at terminals only. */
export const Pin = Type.String({ pattern: '^[0-9]{4,8}$', ...form(sentence('pin_digits')) });

/** The name of a person or a terminal, as records show it. */
export const ShownName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f\\s](?:[^\\x00-\\x1f\\x7f-\\x9f]*[^\\x00-\\x1f\\x7f-\\x9f\\s])?$',
  format: SEEN_TEXT,
  ...form(sentence('name_of_person')),
});

const roles = Object.keys(ROLES) as Role[];
const Email = line(254);

export const GrantFields = {
  role: Type.Enum(roles),
  facilities: Type.Optional(Type.Union([Facilities, Type.Null()])),
  device_ids: Type.Optional(Type.Union([DeviceIds, Type.Null()])),
};

/** A role at places; without either list the role holds everywhere. */
export const NewGrant = closed(GrantFields);
const NewGrants = Type.Array(NewGrant, { minItems: 1, maxItems: GRANTS_MAX });

const GRANT_SOURCES = ['local', 'oidc'] as const;

export const GrantRecord = closed({
  role: described(
    '`null` for an API key, whose scopes were given one by one.',
    Type.Union([Type.Enum(roles), Type.Null()]),
  ),
  scopes: Type.Array(Type.String()),
  facilities: Type.Union([Facilities, Type.Null()]),
  device_ids: Type.Union([DeviceIds, Type.Null()]),
  source: described(
    '`oidc`: from the groups of the identity provider, and replaced at every sign-in with it; `local`: given here.',
    Type.Enum(GRANT_SOURCES),
  ),
});

const PERSON_STATES = ['invited', 'active', 'disabled'] as const;

export const Person = closed({
  person_id: described('Also the `key_id` of what the person does, in every record.', Type.String()),
  login: Login,
  name: line(200),
  email: Type.Union([Email, Type.Null()]),
  state: Type.Enum(PERSON_STATES),
  has_single_sign_on: described('Whether the person can sign in with the identity provider.', Type.Boolean()),
  has_second_factor: described('Whether a sign-in with a password also asks for a code.', Type.Boolean()),
  grants: Type.Array(GrantRecord),
  created_at: Timestamp,
  last_used_at: OptionalTimestamp,
});

export const NewPerson = closed({
  login: Login,
  name: ShownName,
  email: Type.Optional(EmailTarget.properties.email),
  grants: NewGrants,
});

export const PersonPatch = closed({
  name: Type.Optional(ShownName),
  email: Type.Optional(Type.Union([EmailTarget.properties.email, Type.Null()])),
  grants: Type.Optional(NewGrants),
});

/** The only answer that contains the code of the link. */
export const Invitation = closed({
  person: Person,
  code: described(
    'Works once, with the password that the person chooses: `#invite=<code>` on the operators’ page.',
    Type.String(),
  ),
  expires_at: Timestamp,
  mailed: described(
    'Whether the mail server has accepted the link for the e-mail address of the person; tried where a mail server and `GRANARY_PUBLIC_URL` are set.',
    Type.Boolean(),
  ),
});

export type NewGrant = Static<typeof NewGrant>;
export type GrantRecord = Static<typeof GrantRecord>;
export type Person = Static<typeof Person>;
export type NewPerson = Static<typeof NewPerson>;
export type PersonPatch = Static<typeof PersonPatch>;
export type Invitation = Static<typeof Invitation>;

export const checkNewPerson = checker(NewPerson);
export const checkPersonPatch = checker(PersonPatch);
