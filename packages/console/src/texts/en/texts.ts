import * as administration from './administration.ts';
import * as alarmHelp from './alarm-help.ts';
import * as alerts from './alerts.ts';
import * as common from './common.ts';
import * as devices from './devices.ts';
import * as foresight from './foresight.ts';
import * as map from './map.ts';
import * as operations from './operations.ts';
import * as overview from './overview.ts';
import * as shell from './shell.ts';
import * as shifts from './shifts.ts';

export const en = {
  ...administration,
  ...alarmHelp,
  ...alerts,
  ...common,
  ...devices,
  ...foresight,
  ...map,
  ...operations,
  ...overview,
  ...shell,
  ...shifts,
};

export type Texts = typeof en;
