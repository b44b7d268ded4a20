import type { Texts } from '../en/texts.ts';
import { commands } from './commands.ts';
import { common } from './common.ts';
import { devices } from './devices.ts';
import { frame } from './frame.ts';
import { jobs } from './jobs.ts';
import { map } from './map.ts';
import { missions } from './missions.ts';
import { operations } from './operations.ts';
import { overview } from './overview.ts';
import { session } from './session.ts';
import { table } from './table.ts';

export const de: Texts = {
  commands,
  common,
  devices,
  frame,
  jobs,
  map,
  missions,
  operations,
  overview,
  session,
  table,
};
