import type { ConnectionChange } from '@granary/client';
import { AUDIT_RESULTS, type AuditEntry, type AuditQuery } from '@granary/contract/audit';
import type { EventType } from '@granary/contract/events';
import type { LoggedEvent } from '@granary/contract/logged-event';
import { EVENT_TYPES } from '@granary/contract/outline';
import type { Command } from 'commander';
import { type AccessValues, accessClient, whoText } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { choice, collect, given, wholeNumber, withAccess, withExamples } from '../../program/options.ts';
import { timeOrAge, timestamp } from '../../program/times.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';
import { printable } from '../../terminal/text.ts';

interface AuditValues extends AccessValues, Pick<AuditQuery, 'action' | 'actor' | 'result' | 'from' | 'to'> {
  readonly device?: string;
  readonly since?: string;
  readonly limit: number;
}

const LIMIT_DEFAULT = 50;

const resultText = ({ result, code, count }: AuditEntry): string =>
  [result, code, count > 1 ? `${count} times` : null].filter((text) => text !== null).join(' ');

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'TIME', text: ({ at }) => at },
  { title: 'WHO', text: ({ actor }) => whoText(actor) },
  { title: 'ACTION', text: ({ action }) => action },
  { title: 'DEVICE', text: ({ device_id }) => device_id ?? '-' },
  { title: 'CHANGED', text: ({ resource_id }) => resource_id ?? '-' },
  { title: 'RESULT', text: resultText, tone: ({ code }) => (code === null ? undefined : 'warning') },
];

export const audit: Define = (command, environment) => {
  command
    .description(
      'Lists who changed what, and refused attempts, the newest first. It takes a key with the scope admin.',
    )
    .option('--device <id>', 'only what concerns this device')
    .option('--action <name>', 'only this action, such as operations.feed')
    .option('--actor <name>', 'only what this person asked for')
    .addOption(choice('--result <result>', 'only what was done, or refused', AUDIT_RESULTS))
    .option('--since <time>', 'of the last 12h, 7d, …, or since a date such as 2026-11-15', timeOrAge)
    .option('--from <time>', 'ISO 8601', timestamp)
    .option('--to <time>', 'ISO 8601', timestamp)
    .option('--limit <entries>', 'at most so many', wholeNumber, LIMIT_DEFAULT);
  withExamples(command, 'granary audit --device silo-01 --limit 10', 'granary audit --result refused --json');
  withAccess(command).action(async (values: AuditValues) => {
    const { device, action, actor, result, since, to, limit } = values;
    const from = since ?? values.from;
    const query = given({ device_id: device, action, actor, result, from, to });
    const found: AuditEntry[] = [];
    for await (const entry of accessClient(values, environment.env).audit.listAll(query)) {
      // One more event than is listed is read, to know whether there are further ones.
      if (found.push(entry) > limit) break;
    }
    const output = outputOf(environment, values.json);
    output.list(COLUMNS, found.slice(0, limit), 'There are no such entries.');
    if (found.length > limit) output.more('--limit lists more of them, --to the earlier ones');
  });
};

interface Values extends AccessValues {
  readonly device?: readonly string[];
  readonly type?: readonly string[];
  readonly after?: number;
  readonly count?: number;
}

/** The most informative fields of the data of an event, in this order. */
const TELLING_FIELDS = ['status', 'severity', 'message', 'status_detail', 'name'];
const DETAILS_MAX = 2;

export const events: Define = (command, environment) => {
  command.description('Follows the event log.');
  defineTail(command.command('tail').summary('print events as they happen'), environment);
  withExamples(command, 'granary events tail', 'granary events tail --type alert.raised --json');
};

function defineTail(command: Command, environment: Environment): void {
  command
    .description(
      'Prints every change of state that the key may see, until Ctrl+C. A lost connection is made again, and no event is missed.',
    )
    .option('--device <id>', 'only those of this device; may be repeated', collect)
    .option('--type <type>', 'only those of this type; may be repeated', collect)
    .option('--after <id>', 'begin with the event after this one, instead of with the next', wholeNumber)
    .option('--count <events>', 'end after so many', wholeNumber);
  withExamples(
    command,
    'granary events tail --device silo-01',
    'granary events tail --after 1200 --count 10 --json',
  );
  withAccess(command).action(async (values: Values) => {
    const output = outputOf(environment, values.json);
    const filter = given({
      deviceIds: values.device,
      types: values.type?.map(asType),
      lastEventId: values.after,
    });
    let count = 0;
    const onConnection = ({ isConnected }: ConnectionChange): void => {
      if (!isConnected) environment.printError('granary: the connection is lost; connecting again');
    };
    const stream = accessClient(values, environment.env).events.stream({ ...filter, onConnection });
    for await (const item of stream) {
      if (item.kind === 'reset') {
        environment.printError(`granary: events before ${item.bounds.oldest} are no longer stored`);
        continue;
      }
      output.item(item.event, () => lineOf(item.event));
      count += 1;
      if (count === values.count) return;
    }
  });
}

function asType(text: string): EventType {
  const type = EVENT_TYPES.find((known) => known === text);
  if (type !== undefined) return type;
  throw new UsageError(`--type: there is no "${text}"`, { cure: `There are ${EVENT_TYPES.join(', ')}.` });
}

function lineOf({ id, at, type, device_id, data }: LoggedEvent): string {
  const fields: Readonly<Record<string, unknown>> = { ...data };
  const details = TELLING_FIELDS.flatMap((name) => {
    const text = fields[name];
    return typeof text === 'string' ? [text] : [];
  });
  const texts = [String(id), at, type, device_id ?? '-', details.slice(0, DETAILS_MAX).join(': ')];
  return printable(texts.join('  ')).trimEnd();
}
