import { type TSchema, Type } from 'typebox';
import { ALERT_TYPES } from '../../alerts.ts';
import type { ErrorCode } from '../../errors.ts';
import { CommandId, DeviceId, MissionId, OperationId } from '../../ids.ts';
import { id } from '../../input/text-schemas.ts';

import type { GroupName } from './groups.ts';

/** The names in braces, in their order: `/devices/{device_id}` has `device_id`. */
export type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? [Name, ...PathNames<Rest>]
  : [];

export type PathParameters<Path extends string> = Readonly<Record<PathNames<Path>[number], string>>;

interface ParameterDescription {
  /** The schema is for documents only: a value of another form is answered as not found. */
  readonly schema: TSchema;
  readonly description: string;
  /** The error code for an unknown id. */
  readonly notFound: ErrorCode;
  /** The value in examples; it differs between the device groups. */
  readonly example: string;
}

const RECORD_ID = id();

export const PATH_PARAMETERS = {
  device_id: {
    schema: DeviceId,
    description: 'the id that was chosen when the device was registered',
    notFound: 'device_not_found',
    example: 'silo-7',
  },
  map_tile: {
    schema: Type.String(),
    description: 'the version of the map, the level, the column and the row of the tile',
    notFound: 'route_not_found',
    example: '0123456789ab-14-8937-5680',
  },
  operation_id: {
    schema: OperationId,
    description: 'the id of a feed or discharge operation',
    notFound: 'operation_not_found',
    example: 'op_019a86c5f3c07b2a',
  },
  proposal_id: {
    schema: RECORD_ID,
    description: 'the id of a proposed operation',
    notFound: 'proposal_not_found',
    example: 'pr_019a86c5f3c07b2a',
  },
  alert_id: {
    schema: RECORD_ID,
    description: 'the id of an alert',
    notFound: 'alert_not_found',
    example: 'al_019a86c5f3c07b2a',
  },
  command_id: {
    schema: CommandId,
    description: 'the id of a remote command',
    notFound: 'command_not_found',
    example: 'cmd_019a86c5f3c07b2a',
  },
  mission_id: {
    schema: MissionId,
    description: 'the id of a mission',
    notFound: 'mission_not_found',
    example: 'ms_019a86c5f3c07b2a',
  },
  refill_id: {
    schema: RECORD_ID,
    description: 'the id of a refill',
    notFound: 'refill_not_found',
    example: 'rf_019a86c5f3c07b2a',
  },
  note_id: {
    schema: RECORD_ID,
    description: 'the id of a note',
    notFound: 'note_not_found',
    example: 'nt_019a86c5f3c07b2a',
  },
  handover_id: {
    schema: RECORD_ID,
    description: 'the id of a handover',
    notFound: 'handover_not_found',
    example: 'ho_019a86c5f3c07b2a',
  },
  view_id: {
    schema: RECORD_ID,
    description: 'the id of a saved view',
    notFound: 'view_not_found',
    example: 'vw_019a86c5f3c07b2a',
  },
  schedule_id: {
    schema: RECORD_ID,
    description: 'the id of a report schedule',
    notFound: 'report_schedule_not_found',
    example: 'rs_019a86c5f3c07b2a',
  },
  bridge_id: {
    schema: RECORD_ID,
    description: 'the id of a bridge, from its site file',
    notFound: 'bridge_not_found',
    example: 'farm-north',
  },
  alert_type: {
    schema: Type.Enum(ALERT_TYPES),
    description: 'a type of alert',
    notFound: 'alarm_help_not_found',
    example: 'low_level',
  },
  key_id: {
    schema: RECORD_ID,
    description: 'the id of an API key, which is not the key itself',
    notFound: 'key_not_found',
    example: 'key_019a86c5f3c07b2a',
  },
  person_id: {
    schema: RECORD_ID,
    description: 'the id of a person',
    notFound: 'person_not_found',
    example: 'per_019a86c5f3c07b2a',
  },
  passkey_id: {
    schema: RECORD_ID,
    description: 'the id of a passkey',
    notFound: 'passkey_not_found',
    example: '4f0c9a1b2d3e5f60718293a4',
  },
  subscription_id: {
    schema: RECORD_ID,
    description: 'the id of a browser that receives Web Push',
    notFound: 'push_subscription_not_found',
    example: 'psh_019a86c5f3c07b2a',
  },
  terminal_id: {
    schema: RECORD_ID,
    description: 'the id of a terminal or a display',
    notFound: 'terminal_not_found',
    example: 'trm_019a86c5f3c07b2a',
  },
  session_id: {
    schema: RECORD_ID,
    description: 'the id of a session, which is not its secret',
    notFound: 'session_not_found',
    example: '4f0c9a1b2d3e5f60718293a4',
  },
  rule_id: {
    schema: RECORD_ID,
    description: 'the id of a notification rule',
    notFound: 'notification_rule_not_found',
    example: 'nr_019a86c5f3c07b2a',
  },
  webhook_id: {
    schema: RECORD_ID,
    description: 'the id of a webhook',
    notFound: 'webhook_not_found',
    example: 'wh_019a86c5f3c07b2a',
  },
  plant_id: {
    schema: Type.String({ pattern: '^-?[0-9]{1,19}$' }),
    description: 'the identification number of a plant, of 64 bits',
    notFound: 'plant_not_found',
    example: '42',
  },
  asset: {
    schema: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,200}$' }),
    description: 'the name of a file, which contains a digest of its content',
    notFound: 'route_not_found',
    example: 'index-Bk2f8QxT.js',
  },
} as const satisfies Record<string, ParameterDescription>;

export type ParameterName = keyof typeof PATH_PARAMETERS;

/** The examples of groups in which they differ from the usual ones. */
const EXAMPLES_OF_GROUPS: Partial<Record<GroupName, Partial<Record<ParameterName, string>>>> = {
  field: { device_id: 'rover-3' },
};

const isParameterName = (name: string): name is ParameterName => Object.hasOwn(PATH_PARAMETERS, name);

export function parameterNames(path: string): ParameterName[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => {
    if (isParameterName(name)) return name;
    throw new Error(`the path ${path} has a parameter that is not described`);
  });
}

export const exampleParameter = (name: ParameterName, group: GroupName): string =>
  EXAMPLES_OF_GROUPS[group]?.[name] ?? PATH_PARAMETERS[name].example;

export const fillPath = (path: string, parameters: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`the path ${path} needs ${name}`);
    return encodeURIComponent(value);
  });
