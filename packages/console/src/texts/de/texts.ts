import type { LanguageTexts, Texts } from '../en/texts.ts';
import {
  administration,
  audit,
  health,
  keys,
  notifications,
  people,
  signOn,
  webhooks,
} from './administration.ts';
import { alarmHelp } from './alarm-help.ts';
import { alerts } from './alerts.ts';
import { bridges } from './bridges.ts';
import { common, forms, table } from './common.ts';
import { cures } from './cures.ts';
import { deviceAdmin, devices } from './devices.ts';
import { ERRORS } from './errors.ts';
import { foresight } from './foresight.ts';
import { map, missions } from './map.ts';
import { me } from './me.ts';
import { commands, jobs, operations, proposals } from './operations.ts';
import { overview } from './overview.ts';
import { push } from './push.ts';
import { reports } from './reports.ts';
import { SENTENCE_WORDS, SENTENCES } from './sentences.ts';
import { session, shell, wall } from './shell.ts';
import { shifts, views } from './shifts.ts';
import { start } from './start.ts';
import { terminals } from './terminals.ts';

export const de: Texts = {
  administration,
  alarmHelp,
  alerts,
  audit,
  bridges,
  commands,
  common,
  cures,
  deviceAdmin,
  devices,
  foresight,
  forms,
  health,
  jobs,
  keys,
  map,
  me,
  missions,
  notifications,
  operations,
  overview,
  proposals,
  push,
  reports,
  session,
  shell,
  shifts,
  start,
  table,
  terminals,
  views,
  wall,
  people,
  signOn,
  webhooks,
};

export const LANGUAGE: LanguageTexts = {
  texts: de,
  templates: { sentences: SENTENCES, words: SENTENCE_WORDS },
  errors: ERRORS,
};
