import { AUDIT_RESULTS, type AuditEntry, type AuditQuery } from '@granary/contract/audit';
import { whoText } from '../../access/actor.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Define } from '../../frame/environment.ts';
import { choice, given, wholeNumber, withAccess, withExamples } from '../../frame/options.ts';
import { timeOrAge, timestamp } from '../../frame/times.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';

interface Values extends AccessValues, Pick<AuditQuery, 'action' | 'actor' | 'result' | 'from' | 'to'> {
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
  withAccess(command).action(async (values: Values) => {
    const { device, action, actor, result, since, to, limit } = values;
    const from = since ?? values.from;
    const query = given({ device_id: device, action, actor, result, from, to });
    const found: AuditEntry[] = [];
    for await (const entry of accessClient(values, environment.env).audit.listAll(query)) {
      if (found.length === limit) break;
      found.push(entry);
    }
    outputOf(environment, values.json).list(COLUMNS, found, 'There are no such entries.');
  });
};
