import { type Static, Type } from 'typebox';
import { TerminalName } from './audit.ts';
import { checker, closed, described } from './input/schema.ts';
import { form } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { KeyRecord, PRINCIPAL_KINDS, SCOPES } from './keys.ts';
import { PasskeyAssertion } from './passkeys.ts';
import { GivenPassword, GrantRecord, Login, Password, SecondFactorCode } from './people.ts';
import { sentence } from './sentences/codes.ts';

export const SESSION_COOKIE = 'granary_session';

const CODE_SECONDS_MIN = 60;
const CODE_SECONDS_MAX = 24 * 3_600;

const secret = () =>
  Type.String({ pattern: '^[!-~]{1,1000}$', ...form(sentence('printable_characters', { limit: 1_000 })) });

/** The credentials of a sign-in: an API key, the code of a sign-in link, or the login of a person. */
export const SignIn = Type.Union([
  closed({ api_key: secret() }),
  closed({ code: described('A sign-in code, which works once.', secret()) }),
  closed({
    login: Login,
    password: GivenPassword,
    second_factor: SecondFactorCode,
  }),
  closed({ passkey: PasskeyAssertion }),
  closed({ invite: described('The code of an invitation, which works once.', secret()), password: Password }),
]);

const { key_id, name, facilities, device_ids, expires_at } = KeyRecord.properties;

export const SessionRecord = closed({
  key_id,
  kind: Type.Enum(PRINCIPAL_KINDS),
  personal_key_id: described(
    'The key of the person that was sent; null where the person has signed in, and for a key of a program.',
    Type.Union([Type.String(), Type.Null()]),
  ),
  name,
  grants: described(
    'What the caller may do, and where; `scopes`, `facilities` and `device_ids` name all of it together.',
    Type.Array(GrantRecord),
  ),
  scopes: described(
    'Empty for a personal key whose owner has lost its rights.',
    Type.Array(Type.Enum(SCOPES)),
  ),
  facilities,
  device_ids,
  terminal: described(
    'The shared terminal of this session; where it has the `key_id` of the caller, nobody has signed in.',
    Type.Union([TerminalName, Type.Null()]),
  ),
  expires_at: described('When the API key ends; null if it does not.', expires_at),
  session: described(
    'The session of the cookie; null where the request was sent with the API key itself.',
    Type.Union([
      closed({
        created_at: Timestamp,
        expires_at: described('Moves on while the session is used, up to 30 days.', Timestamp),
      }),
      Type.Null(),
    ]),
  ),
});

/** A browser that has signed in as the caller. */
export const SessionListed = closed({
  session_id: Type.String(),
  is_current: Type.Boolean(),
  browser: described('As it calls itself.', Type.String()),
  address: Type.String(),
  created_at: Timestamp,
  last_used_at: described('Recorded once an hour.', Timestamp),
  expires_at: Timestamp,
});

const SignInCodeRequest = closed({
  valid_seconds: Type.Optional(
    described(
      'How long the code can be used; 10 minutes if not given.',
      Type.Integer({ minimum: CODE_SECONDS_MIN, maximum: CODE_SECONDS_MAX }),
    ),
  ),
});

/** The only answer that contains the code. */
export const SignInCode = closed({ code: Type.String(), expires_at: Timestamp });

export type SignIn = Static<typeof SignIn>;
export type SessionRecord = Static<typeof SessionRecord>;
export type SessionListed = Static<typeof SessionListed>;
export type SignInCode = Static<typeof SignInCode>;

export const checkSignIn = checker(SignIn);
export const checkSignInCodeRequest = checker(SignInCodeRequest);

/**
 * The end of a sign-in link to the operators' page. Browsers do not send this part, so the code is in no log. The page
 * offers the name to a person whom it asks for a name; the name of an account that is no person's is not offered.
 */
export const signInFragment = (code: string, account: string | undefined): string =>
  account === undefined || account === '' || account === 'root'
    ? `#sign-in=${code}`
    : `#sign-in=${code}&name=${encodeURIComponent(account)}`;
