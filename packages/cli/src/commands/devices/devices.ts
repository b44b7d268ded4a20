import { DEVICE_STATUSES } from '@granary/contract/devices/statuses';
import type { FleetDevice, FleetDeviceQuery } from '@granary/contract/fleet';
import { DEVICE_GROUPS } from '@granary/contract/profiles/groups';
import { PROFILE_NAMES } from '@granary/contract/profiles/profiles';
import type { Command } from 'commander';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { choice, collect, given, withAccess, withExamples } from '../../program/options.ts';
import { age } from '../../program/times.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';
import { defineAdd } from './add.ts';
import { defineChange, defineImport } from './bulk.ts';
import { hiddenFaults, mainReading, statusTone } from './device-texts.ts';

type Filter = Pick<FleetDeviceQuery, 'facility' | 'zone' | 'status' | 'profile' | 'q'>;
type Values = AccessValues &
  Filter & { readonly kind?: string; readonly removed?: boolean; readonly label?: readonly string[] };

/** A device, with the faults that it has although it may be online. */
type Listed = FleetDevice & { readonly faults?: readonly string[] };

const COLUMNS: readonly Column<Listed>[] = [
  { title: 'DEVICE', text: ({ device_id }) => device_id },
  { title: 'NAME', text: ({ name }) => name },
  { title: 'STATUS', text: ({ status }) => status, tone: ({ status }) => statusTone(status) },
  {
    title: 'NOW',
    text: (device) => [mainReading(device), ...(device.faults ?? [])].join(', '),
    tone: ({ faults = [] }) => (faults.length === 0 ? undefined : 'warning'),
  },
  { title: 'LOCATION', text: ({ location }) => `${location.facility}, ${location.zone}` },
  { title: 'LAST SEEN', text: ({ last_seen }) => age(last_seen) },
];

export const devices: Define = (command, environment) => {
  defineList(command.enablePositionalOptions(), environment);
  defineList(command.command('list', { hidden: true }), environment);
  defineAdd(command.command('register', { hidden: true }), environment);
  defineChange(command.command('change').summary('make the same change to many devices'), environment);
  defineImport(command.command('import').summary('register the devices of a CSV file'), environment);
  withExamples(
    command,
    'granary devices',
    'granary devices --facility "North farm" --status offline',
    'granary devices --label product=wheat',
    'granary devices --json | jq -r ".[].device_id"',
  );
};

function defineList(command: Command, environment: Environment): void {
  command
    .description('Lists the devices that the key may see, with their newest values.')
    .option('--facility <name>', 'only those of this facility')
    .option('--zone <name>', 'only those of this zone')
    .addOption(choice('--status <status>', 'only those with this status', DEVICE_STATUSES))
    .addOption(choice('--profile <profile>', 'only those of this profile', PROFILE_NAMES))
    .addOption(choice('--kind <kind>', 'only those of this group', DEVICE_GROUPS))
    .option('--label <name=value>', 'only those with this label, or with the name; may be repeated', collect)
    .option('--q <text>', 'only those whose id, name or model contains the text')
    .option('--removed', 'the removed devices instead');
  withAccess(command).action(async (values: Values) => {
    const { facility, zone, status, profile, q, kind, removed } = values;
    const query = given({
      facility,
      zone,
      status,
      profile,
      q,
      label: values.label?.join(),
      include: 'readings' as const,
      removed: removed === true ? ('true' as const) : undefined,
    });
    const client = accessClient(values, environment.env);
    const found: FleetDevice[] = [];
    for await (const device of client.fleet.devicesAll(query)) {
      if (kind === undefined || device.group === kind) found.push(device);
    }
    // In JSON the devices are as the service describes them; `granary alerts --json` has the alerts.
    const faults = values.json === true ? [] : await hiddenFaults(client);
    const wordsOf = Map.groupBy(faults, ({ deviceId }) => deviceId);
    const listed = found.map((device): Listed => {
      const words = wordsOf.get(device.device_id)?.map((fault) => fault.words);
      return words === undefined ? device : { ...device, faults: words };
    });
    outputOf(environment, values.json).list(COLUMNS, listed, 'There are no such devices.');
  });
}
