import type { FleetOperation } from '@granary/contract/fleet';
import { OPERATION_STATUSES, type OperationStatus } from '@granary/contract/operations';
import type { Command } from 'commander';
import { type AccessValues, accessClient, whoText } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { choice, given, withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import { messageText } from '../../terminal/sentences.ts';
import type { Column } from '../../terminal/table.ts';
import { DEVICE_COLUMNS, numberText } from '../devices/device-texts.ts';
import { defineDeclareEnded } from '../jobs/declare-ended.ts';

interface Values extends AccessValues {
  readonly device?: string;
  readonly facility?: string;
  readonly zone?: string;
  readonly status?: OperationStatus;
}

const amountText = ({ amount_completed, amount_target, unit }: FleetOperation): string =>
  `${amount_completed === null ? '-' : numberText(amount_completed)}${amount_target === null ? '' : ` of ${numberText(amount_target)}`} ${unit}`;

const COLUMNS: readonly Column<FleetOperation>[] = [
  { title: 'OPERATION', text: ({ operation_id }) => operation_id },
  ...DEVICE_COLUMNS,
  { title: 'TYPE', text: ({ type }) => type ?? 'not known' },
  {
    title: 'STATUS',
    text: ({ status, failure }) => (failure === null ? status : `${status}: ${messageText(failure)}`),
  },
  { title: 'AMOUNT', text: amountText },
  { title: 'START', text: ({ started_at }) => started_at },
  { title: 'WHO', text: ({ requested_by }) => whoText(requested_by) },
];

export const operations: Define = (command, environment) => {
  defineList(command.enablePositionalOptions(), environment);
  const declare = command.command('declare-ended').summary('record that somebody has looked, and it is over');
  defineDeclareEnded(declare, 'operation', environment, (client, ...args) =>
    client.operations.declareEnded(...args),
  );
  withExamples(
    command,
    'granary operations --status in_progress',
    'granary operations --device silo-01 --json',
  );
};

function defineList(command: Command, environment: Environment): void {
  command
    .description('Lists the feeds and discharges of silos, the newest first.')
    .option('--device <id>', 'only those of this device')
    .option('--facility <name>', 'only those of this facility')
    .option('--zone <name>', 'only those of this zone')
    .addOption(choice('--status <status>', 'only those with this status', OPERATION_STATUSES));
  withAccess(command).action(async (values: Values) => {
    const { device, facility, zone, status } = values;
    const query = given({ device_id: device, facility, zone, status });
    const found = await Array.fromAsync(accessClient(values, environment.env).fleet.operationsAll(query));
    outputOf(environment, values.json).list(COLUMNS, found, 'There are no such operations.');
  });
}
