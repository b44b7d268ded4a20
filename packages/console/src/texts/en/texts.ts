import { SENTENCES } from '@granary/contract/sentences/english';
import type { Reader } from '@granary/contract/sentences/sentence';
import { WORDS } from '@granary/contract/sentences/words';
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
import { foresight } from './foresight.ts';
import { map, missions } from './map.ts';
import { me } from './me.ts';
import { commands, jobs, operations, proposals } from './operations.ts';
import { overview } from './overview.ts';
import { push } from './push.ts';
import { reports } from './reports.ts';
import { session, shell, wall } from './shell.ts';
import { shifts, views } from './shifts.ts';
import { start } from './start.ts';
import { terminals } from './terminals.ts';

export const en = {
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

export type Texts = typeof en;

/** All texts of one language. */
export interface LanguageTexts {
  readonly texts: Texts;
  /** The templates of the sentences that the service sends as a code with values. */
  readonly templates: Pick<Reader, 'sentences' | 'words'>;
  /** The meaning of each error code; empty in English, which the service writes itself. */
  readonly errors: Readonly<Record<string, string>>;
}

/** The service writes English itself, from the same templates. */
export const LANGUAGE: LanguageTexts = {
  texts: en,
  templates: { sentences: SENTENCES, words: WORDS },
  errors: {},
};
