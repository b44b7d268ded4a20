import { type Static, Type } from 'typebox';
import { checker, closed, described } from './input/schema.ts';
import { form } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { Passkey } from './passkeys.ts';
import { GivenCode, GivenPassword, PASSWORD_CHARS_MIN_OF_TWO, Person, Pin } from './people.ts';
import { sentence } from './sentences/codes.ts';

const SECRET_KINDS = ['password', 'code', 'pin'] as const;

const WrongSecrets = closed({
  kind: Type.Enum(SECRET_KINDS),
  from: described('The network, or the name of the terminal.', Type.String()),
  count: Type.Integer({ minimum: 1 }),
  first_at: Timestamp,
  last_at: Timestamp,
});

/** The data about themselves that people can see and change. */
export const Me = closed({
  person: Person,
  has_password: described('Whether the person can sign in with a password.', Type.Boolean()),
  passkeys: Type.Array(Passkey),
  recovery_codes_left: described(
    'How many recovery codes are left; null without a second factor.',
    Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  ),
  wrong_secrets: described(
    'Wrong passwords, codes and PINs that were given for the person in the last 30 days, by where they came from, newest first; without a few before a sign-in from the same place.',
    Type.Array(WrongSecrets),
  ),
  has_pin: described('Whether the person can sign in with a PIN at terminals.', Type.Boolean()),
});

const PasswordChange = closed({
  current_password: described('The present one.', GivenPassword),
  password: described(
    'At least 15 characters, or 8 where a second factor is set up.',
    Type.String({ minLength: PASSWORD_CHARS_MIN_OF_TWO, maxLength: 200 }),
  ),
});

/** The secret in an authenticator app, with its first code, or no second factor. */
export const SecondFactorChange = Type.Union([
  closed({
    current_password: GivenPassword,
    secret: described(
      '160 random bits in base 32, as in the QR code `otpauth://totp/…`.',
      Type.String({ pattern: '^[A-Z2-7]{32}$', ...form(sentence('base_32', { limit: 32 })) }),
    ),
    code: described('That the app shows for it.', GivenCode),
  }),
  closed({ current_password: GivenPassword, secret: Type.Null() }),
]);

/** The only answer that contains the recovery codes. */
export const SecondFactor = closed({
  recovery_codes: described(
    'Each signs in once in place of a code; empty where the second factor was removed.',
    Type.Array(Type.String()),
  ),
});

/** The password proves more than the session: somebody who only holds the session does not know it. */
const CurrentPassword = closed({ current_password: described('The present one.', GivenPassword) });

const NewPin = closed({
  current_password: GivenPassword,
  pin: described('Repeated digits and rows such as 1234 are refused.', Pin),
});

export type Me = Static<typeof Me>;
export type WrongSecrets = Static<typeof WrongSecrets>;

export type SecondFactorChange = Static<typeof SecondFactorChange>;

export const checkCurrentPassword = checker(CurrentPassword);
export const checkNewPin = checker(NewPin);
export const checkPasswordChange = checker(PasswordChange);
export const checkSecondFactorChange = checker(SecondFactorChange);
