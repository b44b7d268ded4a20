import { REPORT_PERIODS, type ReportPeriod, type ReportSilo } from '@granary/contract/reports';
import { reportCsv } from '@granary/core/reports/report';
import { reportText } from '@granary/core/reports/report-text';
import { reportHtml } from '@granary/server/background/reports/report-html';
import { LANGUAGES, type Language } from '@granary/words/languages';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Define } from '../../program/environment.ts';
import { choice, given, withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import { localTime } from '../../terminal/sentences.ts';
import type { Column } from '../../terminal/table.ts';
import { numberText } from '../devices/device-texts.ts';

interface Values extends AccessValues {
  readonly period?: ReportPeriod;
  readonly date?: string;
  readonly facility?: string;
  readonly label?: string;
  readonly tz?: string;
  readonly language: Language;
  readonly csv?: true;
  readonly html?: true;
}

const kilograms = (kg: number | null): string => (kg === null ? '-' : `${numberText(Math.round(kg))} kg`);

const columnsIn = (timeZone: string): readonly Column<ReportSilo>[] => [
  { title: 'SILO', text: ({ device_id }) => device_id },
  { title: 'BEGIN', text: ({ begin_kg }) => kilograms(begin_kg) },
  { title: 'IN', text: ({ in_kg }) => kilograms(in_kg) },
  { title: 'USED', text: ({ use_kg }) => kilograms(use_kg) },
  { title: 'END', text: ({ end_kg }) => kilograms(end_kg) },
  {
    title: 'ORDER BY',
    text: ({ order_by }) => (order_by === null ? '-' : localTime(order_by, timeZone)),
  },
];

/** Prints or saves the same report as in the mail. */
export const report: Define = (command, environment) => {
  command
    .description('Shows stock, deliveries, use, orders and alerts of a day, a week or a month.')
    .addOption(choice('--period <period>', 'of what time (daily)', REPORT_PERIODS))
    .option('--date <date>', 'a day of the period; the last one that is over unless given')
    .option('--facility <name>', 'only this facility')
    .option('--label <labels>', 'only devices with these labels, such as product=wheat')
    .option(
      '--tz <zone>',
      'by whose clocks; the zone that its silos share unless given, such as Europe/Berlin',
    )
    .addOption(choice('--language <language>', 'of --html', LANGUAGES).default('en'))
    .option('--csv', 'a line for each silo as CSV')
    .option('--html', 'a page for a browser and its printer');
  withExamples(
    command,
    'granary report',
    'granary report --period weekly --facility north',
    'granary report --period monthly --csv > october.csv',
  );
  withAccess(command).action(async (values: Values) => {
    const { period, date, facility, label, tz, language } = values;
    const asked = given({ period, date, facility, label, tz });
    const made = await accessClient(values, environment.env).reports.report(asked);
    const reader = { language, mass: 'metric', schedule: null, consoleUrl: null } as const;
    if (values.csv === true) return environment.print(reportCsv(made).trimEnd());
    if (values.html === true) return environment.print(reportHtml(made, reader).trimEnd());
    const output = outputOf(environment, values.json);
    output.one(made, () => reportText(made, { ...reader, language: 'en' }));
    if (!output.isJson) output.list(columnsIn(made.time_zone), made.silos, 'There are no silos here.');
  });
};
