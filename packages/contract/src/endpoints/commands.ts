import {
  COMMAND_STATUSES,
  CommandRecord,
  CommandRequest,
  CommandResult,
  checkCommandQuery,
  checkCommandRequest,
} from '../commands.ts';
import { checkEndDeclaration } from '../declared-end.ts';
import { CommandId } from '../ids.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  command_id: {
    schema: CommandId,
    description: 'the id of a remote command',
    notFound: 'command_not_found',
    example: 'cmd_019a86c5f3c07b2a',
  },
});

/** The command alone decides, because other fields of the body must not refuse or delay an emergency stop. */
const EMERGENCY_STOP = { command: ['emergency_stop'] };

const endpoints = {
  /** Answers when the command is sent or queued; its outcome is in its status. */
  give: endpoint('field', 'POST', '/devices/{device_id}/remote/command', {
    number: 13,
    scope: 'operate',
    isUrgent: EMERGENCY_STOP,
    summary: 'Sends a command to a field device. An emergency stop is never limited.',
    body: body(checkCommandRequest, 'command'),
    answers: { 200: one(CommandRecord) },
    errors: [
      'confirmation_required',
      'not_supported',
      'device_offline',
      'device_in_maintenance',
      'emergency_stop_active',
      'no_base',
      'emergency_stop_unconfirmed',
      'outside_geofence',
    ],
    examples: [
      {
        summary: 'go somewhere',
        body: {
          command: 'move_to_coordinates',
          parameters: { latitude: 48.2001, longitude: 16.3, altitude: 170 },
        },
      },
      { summary: 'stay where it is', body: { command: 'hold' } },
      { summary: 'stop at once', body: { command: 'emergency_stop' } },
    ],
  }),
  get: endpoint('field', 'GET', '/devices/{device_id}/remote/commands/{command_id}', {
    scope: 'read',
    summary: 'Shows how a command stands.',
    answers: { 200: one(CommandRecord) },
    examples: [
      { summary: 'a command' },
      { summary: 'an unknown command', parameters: { command_id: 'cmd_none' }, refusal: 'command_not_found' },
    ],
  }),
  /** Possible only while the outcome is uncertain; an emergency stop stays in force until it is released. */
  declareEnded: endpoint('field', 'POST', '/devices/{device_id}/remote/commands/{command_id}/declare-ended', {
    scope: 'admin',
    summary:
      'Records that a person has looked and that a command is over, although the device did not report it.',
    body: body(checkEndDeclaration, 'declaration'),
    answers: { 200: one(CommandRecord) },
    errors: ['cannot_declare_ended', 'confirmation_required'],
    examples: [
      {
        summary: 'a command of a device that is gone',
        body: { reason: 'the rover stands in the yard', looked_by: 'Ada Lovelace' },
      },
    ],
  }),
  /** The newest commands come first. */
  list: endpoint('field', 'GET', '/devices/{device_id}/remote/commands', {
    scope: 'read',
    summary: 'Lists the commands of a field device, newest first.',
    query: checkCommandQuery,
    answers: { 200: pageOf(CommandRecord) },
    examples: [
      { summary: 'every command' },
      { summary: 'the holds that succeeded', query: { command: 'hold', status: 'succeeded' } },
    ],
  }),
};

export const commands = {
  description: 'Single commands to a field device, with the emergency stop.',
  endpoints,
  schemas: { CommandRecord, CommandRequest, CommandResult },
  events: {
    'command.status_changed': CommandRecord,
  },
  values: { COMMAND_STATUSES },
} satisfies Slice;
