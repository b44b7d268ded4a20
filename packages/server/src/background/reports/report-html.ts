import { convertUnit } from '@granary/common/units';
import type { Report, ReportSilo } from '@granary/contract/reports';
import { checkedTimeMs, DAY_MS } from '@granary/contract/time';
import { dayOf } from '@granary/core/reports/period';
import { csvName, reportCsv } from '@granary/core/reports/report';
import {
  changeText,
  clocksText,
  footerOf,
  known,
  type MailedReport,
  orderText,
  periodText,
  placeText,
  type ReportReader,
  type ReportTexts,
  textsOf,
  toOrder,
  whoOf,
} from '@granary/core/reports/report-text';

/** Mail programs know neither style sheets nor pictures that are drawn: every cell has its own style, and charts are cells. */
const TEXT = '#1b2124';
const MUTED = '#525d63';
const LINE = '#dde2e4';
const CONTENTS = '#82929b';
const VESSEL = '#e3e8ea';
const CRITICAL = '#a30018';
const WARNING = '#ffc02e';
const ACTION = '#14549f';
const FONT = "-apple-system, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const CHART_PX = 72;
/** With more columns their figures would not fit. */
const FIGURES_MAX = 7;
const UNBROKEN_CHARS_MAX = 36;

/** Names come from outside, so they may contain markup. */
const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '');

/** The parts of a message beside its text. */
export const mailParts = ({ report, reader, attachesCsv }: MailedReport) => ({
  html: reportHtml(report, reader),
  attachments: attachesCsv
    ? [{ filename: csvName(report), content: reportCsv(report), contentType: 'text/csv; charset=utf-8' }]
    : [],
});

/** A whole page, for a message, a browser and its printer. */
export function reportHtml(report: Report, reader: ReportReader): string {
  const texts = textsOf(reader, report);
  const { words } = texts;
  const title = `${words.titles[report.period]}, ${periodText(report, texts)}`;
  const notOver = report.is_over
    ? ''
    : `<p style="margin:6px 0 0;color:${MUTED}">${escaped(words.notOver({ time: texts.time(report.to) }))}</p>`;
  const parts = [
    `<p style="margin:0;color:${MUTED};font-size:13px">${escaped(`${placeText(report, texts)} · ${clocksText(report, texts)}`)}</p>`,
    `<h1 style="margin:2px 0 0;font-size:22px;line-height:1.25">${escaped(words.titles[report.period])}</h1>`,
    `<p style="margin:2px 0 0;font-size:16px">${escaped(periodText(report, texts))}</p>${notOver}`,
    figures(report, texts),
    section(words.toDo, toDo(report, texts)),
    section(words.useByDay, chart(report, texts)),
    section(words.silos, silosOf(report, texts)),
    section(words.deliveries, deliveries(report, texts)),
    section(words.alerts, alerts(report, texts)),
    section(words.operations, operations(report, texts)),
    `<p style="margin:28px 0 0;padding-top:12px;border-top:1px solid ${LINE};font-size:12px;color:${MUTED}">${footer(report, reader, texts)}</p>`,
  ];
  return `<!doctype html>
<html lang="${reader.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${escaped(title)}</title>
<style>
  @page { margin: 14mm; }
  @media print {
    body { background: #ffffff !important; }
    .sheet { padding: 0 !important; max-width: none !important; }
    .row, h2 { break-inside: avoid; break-after: auto; }
    h2 { break-after: avoid; }
    * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  }
</style>
</head>
<body style="margin:0;background:#eff2f3;color:${TEXT};font-family:${FONT};font-size:15px;line-height:1.4;-webkit-text-size-adjust:100%">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<div class="sheet" style="max-width:640px;background:#ffffff;padding:20px 16px;text-align:left">
${parts.join('\n')}
</div>
</td></tr></table>
</body>
</html>
`;
}

const section = (title: string, content: string): string =>
  `<h2 style="margin:28px 0 8px;font-size:17px">${escaped(title)}</h2>\n${content}`;

const paragraph = (text: string): string => `<p style="margin:0;color:${MUTED}">${escaped(text)}</p>`;

const table = (rows: readonly string[]): string =>
  `<table role="presentation" width="100%" cellpadding="0" cellspacing="0">${rows.join('')}</table>`;

/** A name with a figure at its right, and what else is known below. */
const row = (name: string, figure: string, below: readonly string[], mark = ''): string =>
  `<tr class="row"><td style="padding:8px 0;border-bottom:1px solid ${LINE}">${table([
    `<tr><td style="font-weight:600">${mark}${escaped(name)}</td><td align="right" style="padding-left:12px;white-space:nowrap;font-variant-numeric:tabular-nums">${escaped(figure)}</td></tr>`,
  ])}${below.join('')}</td></tr>`;

/** A line breaks between its parts, unless one is long. */
const small = (parts: readonly string[]): string =>
  parts.length === 0
    ? ''
    : `<div style="font-size:13px;color:${MUTED}">${parts.map(unbroken).join(' · ')}</div>`;

const unbroken = (text: string): string =>
  text.length > UNBROKEN_CHARS_MAX
    ? escaped(text)
    : `<span style="white-space:nowrap">${escaped(text)}</span>`;

const list = (
  name: 'silos' | 'deliveries' | 'alerts' | 'operations',
  rows: readonly string[],
  report: Report,
  { words }: ReportTexts,
): string =>
  rows.length === 0
    ? paragraph(name === 'silos' ? words.noSilos : words.none)
    : `${table(rows)}${report.has_more.includes(name) ? paragraph(words.more) : ''}`;

/** Two figures are beside each other, so that they fit on a phone. */
function figures(report: Report, texts: ReportTexts): string {
  const { words, mass, number } = texts;
  const { totals, raised } = report;
  const percent = shareOf(report);
  const share = percent === null ? '' : `${number(percent)} % · `;
  const cell = (name: string, value: string, below: string, color = TEXT): string =>
    `<td width="50%" valign="top" style="padding:12px 8px 0 0"><div style="font-size:13px;color:${MUTED}">${escaped(name)}</div><div style="font-size:24px;line-height:1.2;font-weight:600;color:${color}">${escaped(value)}</div><div style="font-size:13px;color:${MUTED}">${escaped(below)}</div></td>`;
  const unloaded = totals.out_kg > 0 ? `${words.unloaded}: ${mass(totals.out_kg)}` : '';
  const critical = `${words.critical}: ${number(raised.critical)}`;
  return table([
    `<tr>${cell(words.stock, mass(known(report, 'end_kg')), `${share}${changeText(report, texts)}`)}${cell(words.used, mass(known(report, 'use_kg')), unloaded)}</tr>`,
    `<tr>${cell(words.delivered, mass(known(report, 'in_kg')), '')}${cell(words.alerts, number(raised.total), critical, raised.critical > 0 ? CRITICAL : TEXT)}</tr>`,
  ]);
}

/** How full the silos with a known amount are, in percent of their capacity; `null` when no amount is known. */
function shareOf({ silos }: Report): number | null {
  const weighed = silos.filter(({ end_kg }) => end_kg !== null);
  const sum = (name: 'end_kg' | 'capacity_kg'): number =>
    weighed.reduce((total, silo) => total + (silo[name] ?? 0), 0);
  return weighed.length === 0 ? null : (100 * sum('end_kg')) / sum('capacity_kg');
}

/** The colour is not the only sign: each mark also has its own form. */
const MARKS = {
  critical: `<span style="color:${CRITICAL}">&#9632;</span> `,
  warning: `<span style="color:${WARNING}">&#9650;</span> `,
  info: `<span style="color:${CONTENTS}">&#9679;</span> `,
} as const;

function toDo(report: Report, texts: ReportTexts): string {
  const { words, mass, time } = texts;
  const isLate = ({ order_by: orderBy }: ReportSilo): boolean =>
    checkedTimeMs(orderBy ?? report.made_at) <= checkedTimeMs(report.made_at) + DAY_MS;
  const orders = toOrder(report).map((silo) => {
    const below = [orderText(silo, texts), ...(silo.product === null ? [] : [silo.product])];
    const figure = `${words.order}: ${mass(silo.order_kg, silo.bushel_kg)}`;
    return row(silo.name, figure, [small(below)], MARKS[isLate(silo) ? 'critical' : 'warning']);
  });
  const critical = report.open_critical.map(({ device_name: name, type, since }) =>
    row(name, words.types[type], [small([time(since)])], MARKS.critical),
  );
  const rows = [...critical, ...orders];
  const more = report.has_more.includes('open_critical') ? paragraph(words.more) : '';
  return rows.length === 0 ? paragraph(words.nothingToDo) : `${table(rows)}${more}`;
}

function chart(report: Report, { words, mass, day, number }: ReportTexts): string {
  const { days } = report;
  const most = Math.max(...days.map(({ use_kg }) => use_kg));
  if (most <= 0) return paragraph(words.none);
  const isWide = days.length <= FIGURES_MAX;
  const columns = days.map(({ date, use_kg: kg }, index) => {
    const isReported = date >= report.first_date;
    const weekStart = index % 7 === 0 ? number(index + 1) : '&nbsp;';
    const label = isWide ? day(date, 'weekday') : weekStart;
    const height = Math.max(1, Math.round((CHART_PX * kg) / most));
    const figure = isWide
      ? `<div style="font-size:11px;color:${MUTED};white-space:nowrap">${escaped(mass(kg))}</div>`
      : '';
    return {
      bar: `<td valign="bottom" align="center" height="${CHART_PX + 18}" style="padding:0 1px">${figure}<div title="${date}: ${escaped(mass(kg))}" style="height:${height}px;background:${isReported ? ACTION : CONTENTS};font-size:0">&nbsp;</div></td>`,
      label: `<td align="center" style="padding-top:2px;border-top:1px solid ${LINE};font-size:11px;color:${MUTED}">${label}</td>`,
    };
  });
  const width = isWide ? 'table-layout:fixed' : 'table-layout:fixed;border-collapse:collapse';
  return `<table role="img" aria-label="${escaped(words.useByDay)}" width="100%" cellpadding="0" cellspacing="0" style="${width}"><tr>${columns.map(({ bar }) => bar).join('')}</tr><tr>${columns.map(({ label }) => label).join('')}</tr></table>`;
}

function silosOf(report: Report, texts: ReportTexts): string {
  const { words, mass, number, date } = texts;
  const count = (dayOf(report.last_date) ?? 0) - (dayOf(report.first_date) ?? 0) + 1;
  const severalPlaces = new Set(report.silos.map(({ facility }) => facility)).size > 1;
  const rows = report.silos.map((silo) => {
    const { bushel_kg: bushel, end_kg: end } = silo;
    const percent = end === null ? null : Math.min(100, Math.max(0, (100 * end) / silo.capacity_kg));
    const about = silo.days_known > 0 && silo.days_known < count ? '≈ ' : '';
    const figure = percent === null ? '–' : `${mass(end, bushel)} · ${number(percent)} %`;
    const places = [
      ...(severalPlaces ? [silo.facility] : []),
      ...(silo.product === null ? [] : [silo.product]),
    ];
    const moved = [
      ...(silo.in_kg === null || silo.in_kg === 0 ? [] : [`${words.delivered}: ${mass(silo.in_kg, bushel)}`]),
      ...(silo.out_kg === null || silo.out_kg === 0
        ? []
        : [`${words.unloaded}: ${mass(silo.out_kg, bushel)}`]),
      `${words.used}: ${about}${mass(silo.use_kg, bushel)}`,
      ...(silo.kg_per_day === null ? [] : [words.perDay({ mass: mass(silo.kg_per_day, bushel) })]),
    ];
    const ahead = [
      ...(silo.empty_p50 === null ? [] : [words.emptyAbout({ time: date(silo.empty_p50) })]),
      ...(silo.order_by === null ? [] : [orderText(silo, texts)]),
      ...(silo.status === null || silo.status === 'ok' ? [] : [words.forecast[silo.status]]),
    ];
    return row(silo.name, figure, [bar(percent), small(places), small(moved), small(ahead)]);
  });
  return list('silos', rows, report, texts);
}

/** Draws how full a silo is. */
function bar(percent: number | null): string {
  const part = Math.round(percent ?? 0);
  const cell = (width: number, color: string): string =>
    width === 0
      ? ''
      : `<td width="${width}%" height="8" bgcolor="${color}" style="height:8px;background:${color};font-size:0;line-height:0">&nbsp;</td>`;
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:4px 0;table-layout:fixed"><tr>${cell(part, CONTENTS)}${cell(100 - part, VESSEL)}</tr></table>`;
}

function deliveries(report: Report, texts: ReportTexts): string {
  const { words, mass, time } = texts;
  const silos = new Map(report.silos.map((silo) => [silo.device_id, silo]));
  const rows = report.deliveries.map((delivery) => {
    const silo = silos.get(delivery.device_id);
    const product = delivery.product ?? silo?.product ?? null;
    const note = delivery.delivery_note_kg;
    const below = [
      time(delivery.from),
      ...(product === null ? [] : [product]),
      ...(note === null ? [] : [words.deliveryNote({ mass: mass(note, silo?.bushel_kg) })]),
    ];
    return row(silo?.name ?? delivery.device_id, mass(delivery.kg, silo?.bushel_kg), [small(below)]);
  });
  return list('deliveries', rows, report, texts);
}

function alertRow(alert: Report['alerts'][number], { words, number, time }: ReportTexts): string {
  const below = [alert.device_name, time(alert.last_at)];
  return row(words.types[alert.type], `${number(alert.raised)} ×`, [small(below)], MARKS[alert.severity]);
}

function alerts(report: Report, texts: ReportTexts): string {
  const { words, number } = texts;
  const { raised } = report;
  const counts = (['critical', 'warning', 'info'] as const).map(
    (name) => `${words[name]}: ${number(raised[name])}`,
  );
  const rows = report.alerts.map((alert) => alertRow(alert, texts));
  if (raised.total === 0) return paragraph(words.none);
  return `${paragraph(counts.join(' · '))}${rows.length === 0 ? '' : list('alerts', rows, report, texts)}`;
}

function operations(report: Report, texts: ReportTexts): string {
  const { words, mass, time } = texts;
  const rows = report.operations.map((operation) => {
    const { type, amount_completed: amount, unit, requested_by: by, stopped_by: stopped } = operation;
    const kg = amount === null ? null : convertUnit(amount, unit, 'kg');
    const below = [
      words.statuses[operation.status],
      time(operation.started_at),
      by === null ? words.atDevice : whoOf(by, words),
      ...(stopped === null ? [] : [words.stoppedBy({ name: whoOf(stopped, words) })]),
    ];
    const name = `${operation.device_name}: ${words[type ?? 'operation']}`;
    return row(name, mass(kg), [small(below)], operation.status === 'failed' ? MARKS.critical : '');
  });
  return list('operations', rows, report, texts);
}

function footer(report: Report, reader: ReportReader, texts: ReportTexts): string {
  const { consoleUrl } = reader;
  const lines = footerOf(report, { ...reader, consoleUrl: null }, texts).map(escaped);
  const link = `<a href="${escaped(`${consoleUrl}/#/reports`)}" style="color:${ACTION}">${escaped(texts.words.openConsole)}</a>`;
  return [...lines, ...(consoleUrl === null ? [] : [link])].join('<br>');
}
