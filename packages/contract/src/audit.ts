import { type Static, Type } from 'typebox';
import { PageQuery } from './envelope.ts';
import { ERROR_CODES } from './errors.ts';
import { DeviceId } from './ids.ts';
import { checker, closed, described } from './input/schema.ts';
import { id, line } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';

export const ACTOR_CHARS_MAX = 200;
export const AUDIT_RESULTS = ['done', 'refused'] as const;

/** A changed value; `before` of a new value and `after` of a removed one are `null`. */
export const Difference = closed({ path: Type.String(), before: Type.Unknown(), after: Type.Unknown() });

export type Difference = Static<typeof Difference>;

const PersonName = closed({ key_id: Type.String(), name: Type.String() });
/** The key and the name of a shared terminal. */
export const TerminalName = closed({ key_id: Type.String(), name: Type.String() });

/** Who made a change: the API key, and the person or program that the caller named in the header `X-Actor`. */
export const Actor = closed({
  key_id: Type.String(),
  key_name: Type.String(),
  actor: Type.Union([line(ACTOR_CHARS_MAX), Type.Null()]),
  terminal: Type.Optional(
    described(
      'The shared terminal at which it was done; where it has the `key_id` of the actor, nobody had signed in.',
      TerminalName,
    ),
  ),
  by_key: Type.Optional(
    described(
      'The personal key with which it was done, or with which the browser was signed in; without it the person had signed in.',
      closed({ key_id: Type.String(), name: Type.String() }),
    ),
  ),
  confirmed_by: Type.Optional(described('Who confirmed it, where the facility asks for that.', PersonName)),
  agent: Type.Optional(
    described('It was asked for by an agent at `/mcp`, which gives itself this name.', line(ACTOR_CHARS_MAX)),
  ),
  proposed_by: Type.Optional(
    described(
      'Who proposed what this person started.',
      closed({ ...PersonName.properties, agent: Type.Optional(line(ACTOR_CHARS_MAX)) }),
    ),
  ),
});

/** `null` if a device or the clock caused the change. */
export const OptionalActor = Type.Union([Actor, Type.Null()]);

export type AuditResult = (typeof AUDIT_RESULTS)[number];

const OptionalText = Type.Union([Type.String(), Type.Null()]);

/** The change of one resource by a request that changed several of them. */
export const AuditedChange = closed({
  action: Type.Enum(['create', 'update']),
  name: described(
    'The id of a device, the address of a webhook, the name of a notification rule.',
    Type.String(),
  ),
  differences: Type.Array(Difference),
  left_out: Type.Optional(
    described(
      'How many further differences there were, because an entry is bounded.',
      Type.Integer({ minimum: 1 }),
    ),
  ),
});

/** One change, or identical refused attempts of one minute. */
export const AuditEntry = closed({
  audit_id: Type.String(),
  at: Timestamp,
  request_id: Type.String(),
  actor: described('`null` where the API key was missing or not valid.', OptionalActor),
  address: described('The network address of the caller.', Type.String()),
  action: described('The name of the endpoint, such as `operations.feed`.', Type.String()),
  method: Type.String(),
  path: Type.String(),
  device_id: Type.Union([DeviceId, Type.Null()]),
  resource_id: described(
    'The operation, command, mission, alert or key that was made or changed.',
    OptionalText,
  ),
  result: Type.Enum(AUDIT_RESULTS),
  code: described('The error code of a refusal.', Type.Union([Type.Enum([...ERROR_CODES]), Type.Null()])),
  count: described(
    'How many identical attempts were refused within a minute; 1 for a change.',
    Type.Integer({ minimum: 1 }),
  ),
  input: described(
    'The query and the body of the request, without secrets; `shortened` holds the beginning of a long one. An entry about one of several changes of a request has the `change` instead.',
    Type.Union([
      closed({
        query: Type.Optional(Type.Unknown()),
        body: Type.Optional(Type.Unknown()),
        shortened: Type.Optional(Type.String()),
        change: Type.Optional(AuditedChange),
      }),
      Type.Null(),
    ]),
  ),
});

export const AuditQuery = closed({
  ...PageQuery.properties,
  device_id: Type.Optional(DeviceId),
  facility: Type.Optional(line(200)),
  key_id: Type.Optional(id()),
  actor: Type.Optional(line(ACTOR_CHARS_MAX)),
  action: Type.Optional(line(100)),
  result: Type.Optional(Type.Enum(AUDIT_RESULTS)),
  from: Type.Optional(Timestamp),
  to: Type.Optional(described('Not included.', Timestamp)),
});

export type TerminalName = Static<typeof TerminalName>;
export type Actor = Static<typeof Actor>;
export type AuditedChange = Static<typeof AuditedChange>;
export type AuditEntry = Static<typeof AuditEntry>;
export type AuditInput = NonNullable<AuditEntry['input']>;
export type AuditQuery = Static<typeof AuditQuery>;

export const checkAuditQuery = checker(AuditQuery);
