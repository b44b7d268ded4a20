import { Type } from 'typebox';
import { AlarmHelp, AlarmHelpTexts, checkAlarmHelpPlace, checkAlarmHelpTexts } from '../alarm-help.ts';
import { ALERT_TYPES } from '../alerts.ts';
import { checkPageQuery } from '../envelope.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  alert_type: {
    schema: Type.Enum(ALERT_TYPES),
    description: 'a type of alert',
    notFound: 'alarm_help_not_found',
    example: 'low_level',
  },
});

const HELP = {
  cause: 'The night discharge took more than planned.',
  consequence: 'The pigs have no feed from 10 o’clock on.',
  action: 'Call the mill: extension 12.',
};

/** The texts of a site about alerts, which replace the texts of the product. */
const endpoints = {
  list: endpoint('api', 'GET', '/alarm-help', {
    scope: 'read',
    summary: 'Lists the texts of this site about its alerts.',
    query: checkPageQuery,
    answers: { 200: pageOf(AlarmHelp) },
    examples: [{ summary: 'the first page' }],
  }),
  put: endpoint('api', 'PUT', '/alarm-help/{alert_type}', {
    scope: 'configure',
    summary: 'Writes the text about a type of alert, for all of them, a facility or a threshold rule.',
    query: checkAlarmHelpPlace,
    body: body(checkAlarmHelpTexts, 'text'),
    answers: { 200: one(AlarmHelp) },
    errors: ['alarm_help_limit_reached'],
    examples: [
      { summary: 'of one facility', query: { facility: 'north' }, body: HELP },
      {
        summary: 'an unknown type of alert',
        parameters: { alert_type: 'bad_weather' },
        body: HELP,
        refusal: 'alarm_help_not_found',
      },
      {
        summary: 'a rule of a type that has none',
        query: { rule: 'temp_3 above warning' },
        body: HELP,
        refusal: 'invalid_input',
      },
    ],
  }),
  remove: endpoint('api', 'DELETE', '/alarm-help/{alert_type}', {
    scope: 'configure',
    summary: 'Removes a text, so that the next less specific one holds again.',
    query: checkAlarmHelpPlace,
    answers: { 200: one(AlarmHelp) },
    examples: [
      { summary: 'of every facility' },
      {
        summary: 'one that was never written',
        query: { facility: 'nowhere' },
        refusal: 'alarm_help_not_found',
      },
    ],
  }),
};

export const alarmHelp = {
  description: "A site's own texts about alerts: cause, consequence and action.",
  endpoints,
  schemas: { AlarmHelp, AlarmHelpTexts },
} satisfies Slice;
