import { ALERT_FILTERS, ALERT_SEVERITIES, ALERT_TYPES } from '@granary/contract/alerts';
import type { FleetAlert, FleetAlertQuery } from '@granary/contract/fleet';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Define } from '../../frame/define.ts';
import { choice, given, withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';
import type { Column } from '../../terminal/table.ts';
import { age } from '../../terminal/times.ts';
import type { Tone } from '../../terminal/tone.ts';
import { DEVICE_COLUMNS } from '../devices/device-texts.ts';

type Filter = Pick<FleetAlertQuery, 'status' | 'severity' | 'type' | 'facility' | 'zone'>;
type Values = AccessValues & Filter & { readonly device?: string };

const SEVERITY_TONES: Readonly<Record<FleetAlert['severity'], Tone | undefined>> = {
  critical: 'bad',
  warning: 'warning',
  info: undefined,
};

const COLUMNS: readonly Column<FleetAlert>[] = [
  { title: 'ALERT', text: ({ alert_id }) => alert_id },
  ...DEVICE_COLUMNS,
  { title: 'SEVERITY', text: ({ severity }) => severity, tone: ({ severity }) => SEVERITY_TONES[severity] },
  {
    title: 'STATUS',
    text: ({ status, shelved_until }) => (shelved_until === null ? status : `${status}, shelved`),
  },
  { title: 'SINCE', text: ({ created_at }) => age(created_at) },
  { title: 'MESSAGE', text: ({ message }) => message },
];

export const alerts: Define = (command, environment) => {
  command
    .description(
      'Lists alerts, the newest first: the open ones that are not shelved, unless a status is given.',
    )
    .option('--device <id>', 'only those of this device')
    .option('--facility <name>', 'only those of this facility')
    .option('--zone <name>', 'only those of this zone')
    .addOption(choice('--status <status>', 'only those with this status', ALERT_FILTERS))
    .addOption(choice('--severity <severity>', 'only those with this severity', ALERT_SEVERITIES))
    .addOption(choice('--type <type>', 'only those of this type', ALERT_TYPES));
  withExamples(
    command,
    'granary alerts',
    'granary alerts --severity critical --json',
    'granary alerts --device silo-03 --status all',
  );
  withAccess(command).action(async (values: Values) => {
    const { status, severity, type, facility, zone, device } = values;
    const query = given({ status, severity, type, facility, zone, device_id: device });
    const found = await Array.fromAsync(accessClient(values, environment.env).fleet.alertsAll(query));
    outputOf(environment, values.json).list(COLUMNS, found, 'There are no such alerts.');
  });
};
