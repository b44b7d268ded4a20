import type { Texts } from '../en/texts.ts';
import { common } from './common.ts';
import { devices } from './devices.ts';
import { frame } from './frame.ts';
import { jobs } from './jobs.ts';
import { missions } from './missions.ts';
import { operations } from './operations.ts';
import { overview } from './overview.ts';
import { session } from './session.ts';
import { table } from './table.ts';

export const de: Texts = { common, devices, frame, jobs, missions, operations, overview, session, table };
