import type { Client } from '@granary/client';
import { ALERT_SEVERITIES, ALERT_TYPES, type AlertSeverity, type AlertType } from '@granary/contract/alerts';
import type {
  NotificationRule,
  NotificationRuleInput,
  NotificationTarget,
} from '@granary/contract/notifications';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { type AccessValues, accessClient, asActor } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { confirm } from '../../program/environment.ts';
import { CommandFailure, EXIT, UsageError } from '../../program/explain.ts';
import { choice, collect, given, readDocument, withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';

interface AddValues extends AccessValues {
  readonly name?: string;
  readonly email?: readonly string[];
  readonly webhook?: readonly string[];
  readonly severity?: AlertSeverity;
  readonly type?: readonly string[];
  readonly facility?: readonly string[];
  readonly device?: readonly string[];
  readonly label?: readonly string[];
  readonly file?: string;
}

const targetText = (target: NotificationTarget): string => {
  if ('email' in target) return target.email;
  return 'webhook_id' in target ? target.webhook_id : target.person_id;
};

const COLUMNS: readonly Column<NotificationRule>[] = [
  { title: 'RULE', text: ({ rule_id }) => rule_id },
  { title: 'NAME', text: ({ name }) => name },
  { title: 'STATE', text: ({ enabled }) => (enabled ? 'on' : 'off') },
  { title: 'FROM SEVERITY', text: ({ match }) => match.severity_min },
  {
    title: 'TO',
    text: ({ targets, rota }) => [...targets.map(targetText), ...(rota?.people ?? [])].join(', '),
  },
];

export const notificationRules: Define = (command, environment) => {
  command.description(
    'Lists, shows, adds, tests and removes the rules that say which alerts reach whom. It takes a key with the scope admin.',
  );
  withAccess(command.command('list').summary('list the rules')).action(async (values: AccessValues) => {
    const rules = await Array.fromAsync(accessClient(values, environment.env).notifications.rulesAll());
    outputOf(environment, values.json).list(COLUMNS, rules, 'There are no notification rules.');
  });
  defineAdd(command.command('add').summary('add a rule'), environment);
  const define = (name: string, summary: string, act: Act): Command => {
    const one = command.command(name).summary(summary).argument('<rule_id>');
    withExamples(one, `granary notification-rules ${name} nr_019a`);
    return withAccess(one).action((id: string, values: Values) =>
      act({ id, values, environment, api: accessClient(values, environment.env).notifications }),
    );
  };
  define('show', 'show one rule', show);
  define('test', 'send a test to all its targets', sendTest);
  define('remove', 'remove it', remove).option('-y, --yes', 'do not ask');
  withExamples(
    command,
    'granary notification-rules add --name Owner --email owner@example.com --severity critical',
    'granary notification-rules test nr_019a',
  );
};

function defineAdd(command: Command, environment: Environment): void {
  command
    .description('Adds a rule. Quiet hours, summaries and escalation are set in a file.')
    .option('--name <text>', 'its name')
    .option('--email <address>', 'who gets the alerts; may be repeated', collect)
    .option('--webhook <webhook_id>', 'which webhook gets them; may be repeated', collect)
    .addOption(choice('--severity <severity>', 'only alerts of this severity and above', ALERT_SEVERITIES))
    .option('--type <type>', 'only alerts of this type; may be repeated', collect)
    .option('--facility <name>', 'only those of this facility; may be repeated', collect)
    .option('--device <id>', 'only those of this device; may be repeated', collect)
    .option('--label <name=value>', 'only those of devices with this label; may be repeated', collect)
    .option('--file <file>', 'the rule as JSON or YAML, or - for the standard input');
  withExamples(
    command,
    'granary notification-rules add --name Owner --email owner@example.com --severity critical',
    'granary notification-rules add --file night-shift.yaml',
  );
  withAccess(command).action(async (values: AddValues) => {
    const { env } = environment;
    const rule = await ruleOf(values, environment);
    const added = await accessClient(values, env).notifications.createRule(rule, asActor(env));
    outputOf(environment, values.json).one(added, () => `${added.rule_id} (${added.name}) is added.`);
  });
}

/** Reads a rule from the options or a file; the service checks its contents. */
async function ruleOf(values: AddValues, environment: Environment): Promise<NotificationRuleInput> {
  const { name, email = [], webhook = [], severity, type, facility, device, label, file } = values;
  if (file !== undefined) return (await readDocument(file, environment)) as NotificationRuleInput;
  const targets = [...email.map((one) => ({ email: one })), ...webhook.map((one) => ({ webhook_id: one }))];
  if (name === undefined || targets.length === 0)
    throw new UsageError('--name and a target are missing', {
      cure: 'Name --email or --webhook, or a --file with the rule.',
    });
  const match = given({
    severity_min: severity,
    types: type?.map(alertType),
    facilities: facility && [...facility],
    device_ids: device && [...device],
    labels: label && [...label],
  });
  return { name, targets, ...(Object.keys(match).length === 0 ? {} : { match }) };
}

function alertType(text: string): AlertType {
  const found = ALERT_TYPES.find((one) => one === text);
  if (found !== undefined) return found;
  throw new UsageError(`--type: there is no "${text}"`, { cure: `There are ${ALERT_TYPES.join(', ')}.` });
}

interface Values extends AccessValues {
  readonly yes?: boolean;
}

interface Call {
  readonly id: string;
  readonly values: Values;
  readonly environment: Environment;
  readonly api: Client['notifications'];
}
type Act = (call: Call) => Promise<void>;

const show: Act = async ({ id, values, environment, api }) => {
  const rule = await api.rule(id);
  outputOf(environment, values.json).one(rule, () => stringify(rule).trimEnd());
};

const sendTest: Act = async ({ id, values, environment, api }) => {
  const sent = await api.testRule(id, asActor(environment.env));
  const lines = sent.notifications.map(
    ({ target, status, last_error }) =>
      `${targetText(target)} ${status}${last_error === null ? '' : `: ${last_error}`}`,
  );
  outputOf(environment, values.json).one(sent, () => lines.join('\n'));
  if (sent.notifications.some(({ status }) => status === 'failed'))
    throw new CommandFailure('the test did not reach all targets', { exitCode: EXIT.failed });
};

const remove: Act = async ({ id, values, environment, api }) => {
  await confirm(`Remove ${id}? What was not sent yet is not sent any more.`, values.yes, environment);
  const rule = await api.removeRule(id, asActor(environment.env));
  outputOf(environment, values.json).one(rule, () => `${id} (${rule.name}) is removed.`);
};
