import type { Client } from '@granary/client';
import { ALERT_SEVERITIES, type AlertSeverity } from '@granary/contract/alerts';
import type { EventType } from '@granary/contract/events';
import { EVENT_TYPES } from '@granary/contract/outline';
import type { IssuedWebhook, WebhookDelivery, WebhookRecord } from '@granary/contract/webhooks';
import type { Command } from 'commander';
import { type AccessValues, accessClient, asActor } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { confirm } from '../../program/environment.ts';
import { CommandFailure, EXIT, UsageError } from '../../program/explain.ts';
import { collect, given, wholeNumber, withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';

interface Values extends AccessValues {
  readonly yes?: boolean;
  readonly fromEvent?: number;
  readonly dead?: boolean;
  readonly skipMissed?: boolean;
  readonly overlap?: number;
  readonly limit?: number;
}

const stateOf = ({ enabled, disabled_reason, failing_since }: WebhookRecord): string => {
  if (!enabled) return `disabled${disabled_reason === null ? '' : `: ${disabled_reason}`}`;
  return failing_since === null ? 'enabled' : `failing since ${failing_since}`;
};

const COLUMNS: readonly Column<WebhookRecord>[] = [
  { title: 'WEBHOOK', text: ({ webhook_id }) => webhook_id },
  { title: 'URL', text: ({ url }) => url },
  { title: 'EVENTS', text: ({ event_types }) => event_types?.join(',') ?? 'all' },
  { title: 'STATE', text: stateOf },
];

const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  { title: 'MESSAGE', text: ({ message_id }) => message_id },
  { title: 'TYPE', text: ({ type }) => type },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'ATTEMPTS', text: ({ attempts }) => String(attempts) },
  { title: 'LAST ANSWER', text: ({ last_status, last_error }) => String(last_status ?? last_error ?? '-') },
];

export const webhooks: Define = (command, environment) => {
  command.description(
    'Lists, adds, tests and removes the receivers of events. It takes a key with the scope admin.',
  );
  const define = (
    name: string,
    summary: string,
    act: Act,
    prepare = (one: Command): Command => one,
  ): void => {
    const one = prepare(command.command(name).summary(summary).argument('<webhook_id>'));
    withAccess(one).action((id: string, values: Values) =>
      act({ id, values, environment, webhooks: accessClient(values, environment.env).webhooks }),
    );
  };
  withAccess(command.command('list').summary('list the webhooks')).action(async (values: AccessValues) => {
    const records = await Array.fromAsync(accessClient(values, environment.env).webhooks.listAll());
    outputOf(environment, values.json).list(COLUMNS, records, 'There are no webhooks.');
  });
  defineWebhookAdd(command.command('add').summary('register a receiver'), environment);
  define('show', 'show one webhook', show);
  define('deliveries', 'list its newest deliveries', deliveries, (one) =>
    one.option('--limit <entries>', 'at most so many, up to 1000', wholeNumber),
  );
  define('test', 'send a test message', sendTest);
  define('replay', 'send events again', replay, (one) =>
    one
      .option('--from-event <id>', 'all events from this one on', wholeNumber)
      .option('--dead', 'the deliveries that were given up'),
  );
  define('enable', 'enable it again', enable, (one) =>
    one.option('--skip-missed', 'without the events since it was disabled'),
  );
  define('rotate-secret', 'issue a new secret', rotate, (one) =>
    one.option('--overlap <seconds>', 'how long messages are signed with both', wholeNumber),
  );
  define('remove', 'remove it', remove, (one) => one.option('-y, --yes', 'do not ask'));
  withExamples(
    command,
    'granary webhooks add https://example.com/hook --type alert.raised',
    'granary webhooks test wh_019a',
    'granary webhooks replay wh_019a --dead',
  );
};

interface Call {
  readonly id: string;
  readonly values: Values;
  readonly environment: Environment;
  readonly webhooks: Client['webhooks'];
}
type Act = (call: Call) => Promise<void>;

const show: Act = async ({ id, values, environment, webhooks: api }) => {
  const record = await api.get(id);
  const output = outputOf(environment, values.json);
  const filter = (list: readonly string[] | null): string => list?.join(', ') ?? 'all';
  output.one(record, () =>
    output.fields([
      ['webhook', record.webhook_id],
      ['url', record.url],
      ['description', record.description],
      ['state', stateOf(record)],
      ['events', filter(record.event_types)],
      ['devices', filter(record.device_ids)],
      ['facilities', filter(record.facilities)],
      ['severities', filter(record.severities)],
    ]),
  );
};

const deliveries: Act = async ({ id, values, environment, webhooks: api }) => {
  const { data, page } = await api.deliveries(id, given({ limit: values.limit }));
  const output = outputOf(environment, values.json);
  output.list(DELIVERY_COLUMNS, data, 'There are no deliveries.');
  if (page.next_cursor !== null) output.more('--limit lists more of them');
};

const sendTest: Act = async ({ id, values, environment, webhooks: api }) => {
  const delivery = await api.test(id, asActor(environment.env));
  const { status, last_status, last_error } = delivery;
  const reason = last_error ?? `the receiver answered ${last_status}`;
  outputOf(environment, values.json).one(delivery, () => `${status}: ${reason}`);
  if (delivery.finished_at === null || last_error !== null) {
    throw new CommandFailure('the test message was not delivered', { exitCode: EXIT.failed });
  }
};

const replay: Act = async ({ id, values, environment, webhooks: api }) => {
  const { fromEvent, dead } = values;
  if ((fromEvent === undefined) === (dead === undefined)) {
    throw new UsageError('say --from-event or --dead', { cure: 'Exactly one of them.' });
  }
  const wanted = fromEvent === undefined ? { dead: true as const } : { from_event: fromEvent };
  const result = await api.replay(id, wanted, asActor(environment.env));
  const text = () => `${result.events} events and ${result.deliveries} dead deliveries are sent again.`;
  outputOf(environment, values.json).one(result, text);
};

const enable: Act = async ({ id, values, environment, webhooks: api }) => {
  const record = await api.enable(id, given({ skip_missed: values.skipMissed }), asActor(environment.env));
  outputOf(environment, values.json).one(record, () => `${id} is ${stateOf(record)}.`);
};

const rotate: Act = async ({ id, values, environment, webhooks: api }) => {
  const issued: IssuedWebhook = await api.rotateSecret(
    id,
    given({ overlap_seconds: values.overlap }),
    asActor(environment.env),
  );
  outputOf(environment, values.json).one(issued, () => `${issued.secret}\n\nThe secret is shown this once.`);
};

const remove: Act = async ({ id, values, environment, webhooks: api }) => {
  await confirm(`Remove ${id}? What has not been delivered is not sent any more.`, values.yes, environment);
  const record = await api.remove(id, asActor(environment.env));
  outputOf(environment, values.json).one(record, () => `${id} (${record.url}) is removed.`);
};

interface DefineWebhookAddValues extends AccessValues {
  readonly description?: string;
  readonly type?: readonly string[];
  readonly device?: readonly string[];
  readonly facility?: readonly string[];
  readonly severity?: readonly string[];
}

function defineWebhookAdd(command: Command, environment: Environment): void {
  command
    .argument('<url>', 'where events are sent to')
    .description('Registers a receiver of events, and shows the secret of its signatures this once.')
    .option('--description <text>', 'what it is for')
    .option('--type <type>', 'only events of this type; may be repeated', collect)
    .option('--device <id>', 'only events of this device; may be repeated', collect)
    .option('--facility <name>', 'only events of this facility; may be repeated', collect)
    .option('--severity <severity>', 'only alerts of this severity; may be repeated', collect);
  withExamples(
    command,
    'granary webhooks add https://example.com/alerts --type alert.raised --severity critical',
  );
  withAccess(command).action(async (url: string, values: DefineWebhookAddValues) => {
    const { env } = environment;
    const { description, type, device, facility, severity } = values;
    const wanted = given({
      description,
      device_ids: device && [...device],
      facilities: facility && [...facility],
      event_types: type?.map((text) => knownOf<EventType>(text, EVENT_TYPES, '--type')),
      severities: severity?.map((text) => knownOf<AlertSeverity>(text, ALERT_SEVERITIES, '--severity')),
    });
    const issued = await accessClient(values, env).webhooks.create({ url, ...wanted }, asActor(env));
    const text = () =>
      `webhook  ${issued.webhook_id}\nsecret   ${issued.secret}\n\nThe secret is shown this once.`;
    outputOf(environment, values.json).one(issued, text);
  });
}

function knownOf<Known extends string>(text: string, known: readonly Known[], option: string): Known {
  const found = known.find((one) => one === text);
  if (found !== undefined) return found;
  throw new UsageError(`${option}: there is no "${text}"`, { cure: `There are ${known.join(', ')}.` });
}
