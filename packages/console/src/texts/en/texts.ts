import { administration } from './administration.ts';
import { alerts } from './alerts.ts';
import { audit } from './audit.ts';
import { commands } from './commands.ts';
import { common } from './common.ts';
import { deviceAdmin } from './device-admin.ts';
import { devices } from './devices.ts';
import { forms } from './forms.ts';
import { frame } from './frame.ts';
import { health } from './health.ts';
import { jobs } from './jobs.ts';
import { keys } from './keys.ts';
import { map } from './map.ts';
import { missions } from './missions.ts';
import { notifications } from './notifications.ts';
import { operations } from './operations.ts';
import { overview } from './overview.ts';
import { session } from './session.ts';
import { table } from './table.ts';
import { webhooks } from './webhooks.ts';

export const en = {
  administration,
  alerts,
  audit,
  commands,
  common,
  deviceAdmin,
  devices,
  forms,
  frame,
  health,
  jobs,
  keys,
  map,
  missions,
  notifications,
  operations,
  overview,
  session,
  table,
  webhooks,
};

export type Texts = typeof en;
