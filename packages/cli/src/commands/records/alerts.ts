import { ApiError, type Client } from '@granary/client';
import type { RaisedAlerts } from '@granary/contract/alert-statistics';
import { ALERT_FILTERS, ALERT_SEVERITIES, ALERT_TYPES } from '@granary/contract/alerts';
import type { FleetAlert, FleetAlertQuery } from '@granary/contract/fleet';
import type { Command } from 'commander';
import { findDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient, asActor, personName } from '../../access/service-access.ts';
import { type ZoneOfFacility, zonesOfFacilities } from '../../access/site-zones.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { CommandFailure, EXIT, UsageError } from '../../program/explain.ts';
import { choice, given, withAccess, withExamples } from '../../program/options.ts';
import { age, durationMs, timeOrAge } from '../../program/times.ts';
import { outputOf } from '../../terminal/output.ts';
import { messageText } from '../../terminal/sentences.ts';
import type { Column } from '../../terminal/table.ts';
import type { Tone } from '../../terminal/text.ts';
import { DEVICE_COLUMNS } from '../devices/device-texts.ts';

const SEVERITY_TONES: Readonly<Record<FleetAlert['severity'], Tone | undefined>> = {
  critical: 'bad',
  warning: 'warning',
  info: undefined,
};
const columnsIn = (zoneOf: ZoneOfFacility): readonly Column<FleetAlert>[] => [
  { title: 'ALERT', text: ({ alert_id }) => alert_id },
  ...DEVICE_COLUMNS,
  { title: 'SEVERITY', text: ({ severity }) => severity, tone: ({ severity }) => SEVERITY_TONES[severity] },
  {
    title: 'STATUS',
    text: ({ status, shelved_until }) => (shelved_until === null ? status : `${status}, shelved`),
  },
  { title: 'SINCE', text: ({ created_at }) => age(created_at) },
  { title: 'MESSAGE', text: (alert) => messageText(alert, zoneOf(alert.location?.facility)) },
];

type Filter = Pick<FleetAlertQuery, 'status' | 'severity' | 'type' | 'facility' | 'zone'>;
type ListValues = AccessValues & Filter & { readonly device?: string };

export const alerts: Define = (command, environment) => {
  command
    .enablePositionalOptions()
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
  withAccess(command).action(async (values: ListValues) => {
    const { status, severity, type, facility, zone, device } = values;
    const query = given({ status, severity, type, facility, zone, device_id: device });
    const client = accessClient(values, environment.env);
    const [found, zoneOf] = await Promise.all([
      Array.fromAsync(client.fleet.alertsAll(query)),
      zonesOfFacilities(client),
    ]);
    outputOf(environment, values.json).list(columnsIn(zoneOf), found, 'There are no such alerts.');
  });
  defineStatistics(
    command.command('statistics').summary('how often alerts are raised, and which'),
    environment,
  );
};

const RAISED_COLUMNS: readonly Column<RaisedAlerts>[] = [
  ...DEVICE_COLUMNS,
  { title: 'TYPE', text: ({ type }) => type },
  { title: 'RAISED', text: ({ raised }) => String(raised) },
  { title: 'LAST', text: ({ last_at }) => age(last_at) },
];

type StatisticsValues = AccessValues & { readonly since?: string; readonly facility?: string };

function defineStatistics(command: Command, environment: Environment): void {
  command
    .description('Counts how often alerts were raised, and names those that come too often or stay.')
    .option('--since <time>', 'since when: 24h, 7d, or a time; 7 days unless given', timeOrAge)
    .option('--facility <name>', 'only those of this facility');
  withExamples(command, 'granary alerts statistics --since 24h');
  withAccess(command).action(async (values: StatisticsValues) => {
    const query = given({ from: values.since, facility: values.facility });
    const found = await accessClient(values, environment.env).fleet.alertStatistics(query);
    const output = outputOf(environment, values.json);
    output.one(found, () =>
      output.fields([
        ['raised', `${found.raised.total}, ${found.per_hour} per hour (6 are acceptable for one person)`],
        ['floods', `${found.flood_periods} times more than 10 within 10 minutes`],
        ['standing', `${found.standing.total} for more than 24 h`],
        ['shelved', String(found.shelved)],
        [
          'chattering',
          found.chattering.map(({ device_id, type }) => `${device_id} ${type}`).join(', ') || 'none',
        ],
      ]),
    );
    if (!output.isJson) output.list(RAISED_COLUMNS, found.most_frequent, 'Nothing was raised.');
  });
}

interface AckValues extends AccessValues {
  readonly by?: string;
  readonly note?: string;
}

export const ack: Define = (command, environment) => {
  command
    .argument('<alert_id...>')
    .description('Acknowledges alerts: somebody has seen them. Repeating it changes nothing.')
    .option('--by <name>', 'who has seen them (GRANARY_ACTOR, or the name of the user)')
    .option('--note <text>', 'what is done about them');
  withExamples(
    command,
    'granary ack al_019a86c5f3c07b2a --note "A truck is on its way."',
    'granary alerts --json | jq -r ".[].alert_id" | xargs granary ack --by Ada',
  );
  withAccess(command).action(async (alertIds: readonly string[], values: AckValues) => {
    const { env } = environment;
    const person = values.by ?? personName(env);
    if (person === undefined)
      throw new UsageError('--by is missing', { cure: 'Say who has seen the alerts.' });
    const wanted = { alert_ids: [...alertIds], acknowledged_by: person, ...given({ note: values.note }) };
    const answer = await accessClient(values, env).fleet.acknowledgeAlerts(wanted, asActor(env));
    const lines = answer.results.map(({ alert_id, outcome }) => `${alert_id} ${outcome.replace('_', ' ')}`);
    outputOf(environment, values.json).one(answer, () => lines.join('\n'));
    if (answer.results.some(({ outcome }) => outcome === 'not_found')) {
      const cure = '`granary alerts --status all` lists all alerts.';
      throw new CommandFailure('some alerts were not found', { exitCode: EXIT.refused, cure });
    }
  });
};

interface ShelveValues extends AccessValues {
  readonly for: number;
  readonly reason: string;
  readonly by?: string;
}

export const shelve: Define = (command, environment) => {
  command
    .argument('<alert_id>')
    .description('Takes an open alert out of the usual list for a while; its state goes on.')
    .requiredOption('--for <duration>', 'how long: 30m, 12h, 2d, …', durationMs)
    .requiredOption('--reason <text>', 'why')
    .option('--by <name>', 'who decides it (GRANARY_ACTOR, or the name of the user)');
  withExamples(command, 'granary shelve al_019a86c5f3c07b2a --for 12h --reason "The part is ordered."');
  withAccess(command).action(async (alertId: string, values: ShelveValues) => {
    const { env } = environment;
    const client = accessClient(values, env);
    const { device_id, group } = await deviceOfAlert(client, alertId);
    const until = new Date(Date.now() + values.for).toISOString();
    const wanted = { until, reason: values.reason, ...given({ shelved_by: values.by ?? personName(env) }) };
    const alert = await client.alerts[group].shelve(device_id, alertId, wanted, asActor(env));
    outputOf(environment, values.json).one(
      alert,
      () => `${alertId} (${device_id}) is shelved until ${until}.`,
    );
  });
};

export const unshelve: Define = (command, environment) => {
  command.argument('<alert_id>').description('Puts a shelved alert back into the usual list.');
  withExamples(command, 'granary unshelve al_019a86c5f3c07b2a');
  withAccess(command).action(async (alertId: string, values: AccessValues) => {
    const { env } = environment;
    const client = accessClient(values, env);
    const { device_id, group } = await deviceOfAlert(client, alertId);
    const alert = await client.alerts[group].unshelve(device_id, alertId, asActor(env));
    outputOf(environment, values.json).one(
      alert,
      () => `${alertId} (${device_id}) is in the usual list again.`,
    );
  });
};

async function deviceOfAlert(client: Client, alertId: string) {
  for (const status of ['open', 'shelved'] as const) {
    const found = await firstWith(client.fleet.alertsAll({ status }), alertId);
    if (found !== undefined) return await findDevice(client, found.device_id);
  }
  const message = `there is no open alert "${alertId}", or the key may not see its device`;
  throw new ApiError({ status: 404, code: 'alert_not_found', message });
}

async function firstWith(
  alerts: AsyncIterable<FleetAlert>,
  alertId: string,
): Promise<FleetAlert | undefined> {
  for await (const alert of alerts) if (alert.alert_id === alertId) return alert;
  return undefined;
}
