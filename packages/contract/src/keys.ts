import { type Static, Type } from 'typebox';
import { DeviceId } from './ids.ts';
import { checker, closed, described } from './input/schema.ts';
import { id, shownName } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';

export const SCOPES = ['read', 'stop', 'propose', 'operate', 'configure', 'ingest', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** The caller's own kind: a program, a person, a shared terminal, or a screen on the wall. */
export const PRINCIPAL_KINDS = ['service', 'person', 'terminal', 'display'] as const;
export type PrincipalKind = (typeof PRINCIPAL_KINDS)[number];

/** The scopes of each role. An administrator cannot operate, so a person who runs a site alone gets both roles. */
export const ROLES = {
  viewer: ['read'],
  operator: ['read', 'operate'],
  engineer: ['read', 'operate', 'configure'],
  administrator: ['read', 'configure', 'admin'],
  /** Administers facilities, and gives others at most the rights that they have themselves. */
  site_administrator: ['read', 'configure', 'admin'],
} as const satisfies Record<string, readonly Scope[]>;
export type Role = keyof typeof ROLES;

export const OptionalTimestamp = Type.Union([Timestamp, Type.Null()]);
const Scopes = Type.Array(Type.Enum(SCOPES), { minItems: 1, maxItems: SCOPES.length, uniqueItems: true });
export const Facilities = Type.Array(shownName(200), { minItems: 1, maxItems: 1_000 });
export const DeviceIds = Type.Array(DeviceId, { minItems: 1, maxItems: 1_000 });

export const NewKey = closed({
  name: shownName(200),
  scopes: Scopes,
  facilities: Type.Optional(
    described('The key can access only these; without either list it can access everything.', Facilities),
  ),
  device_ids: Type.Optional(DeviceIds),
  expires_at: Type.Optional(Timestamp),
});

export const KeyRotation = closed({
  overlap_seconds: Type.Optional(
    described(
      'How long the old key stays valid beside the new one.',
      Type.Integer({ minimum: 0, maximum: 30 * 24 * 3_600 }),
    ),
  ),
});

export const KeyRecord = closed({
  key_id: Type.String(),
  name: Type.String(),
  person_id: described(
    'The person whose key it is: it never allows more than the person may do. `null` for a key of a program.',
    Type.Union([Type.String(), Type.Null()]),
  ),
  scopes: Scopes,
  facilities: Type.Union([Facilities, Type.Null()]),
  device_ids: Type.Union([DeviceIds, Type.Null()]),
  created_at: Timestamp,
  expires_at: OptionalTimestamp,
  last_used_at: OptionalTimestamp,
  revoked_at: OptionalTimestamp,
});

/** The only answer that contains the key itself. */
export const IssuedKey = closed({ ...KeyRecord.properties, key: Type.String() });

/** Assigns the key of a program to the person who asks, with the same secret. */
export const KeyAssignment = closed({ person_id: id() });

export type NewKey = Static<typeof NewKey>;
export type KeyRotation = Static<typeof KeyRotation>;
export type KeyRecord = Static<typeof KeyRecord>;
export type IssuedKey = Static<typeof IssuedKey>;

export const checkNewKey = checker(NewKey);
export const checkKeyRotation = checker(KeyRotation);
export const checkKeyAssignment = checker(KeyAssignment);
