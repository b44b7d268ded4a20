import type { ExportFormat } from '@granary/contract/exports';

/** The columns of a row that are the same for all values of a sensor. */
interface RowLabels {
  readonly deviceId: string;
  readonly sensor: string;
  readonly unit: string;
}

/** Writes one row; made once per sensor, because an export has millions of rows of few sensors. */
export type RowWriter = (timestamp: string, value: number | null, quality: string, date: string) => string;

export interface RowFormat {
  readonly contentType: string;
  readonly header: string;
  writerOf(labels: RowLabels): RowWriter;
}

/** With a date, the rows have it as their last column. */
export const rowFormat = (format: ExportFormat, hasDate: boolean): RowFormat =>
  format === 'csv' ? csvFormat(hasDate) : jsonFormat(hasDate);

const csvFormat = (hasDate: boolean): RowFormat => ({
  contentType: 'text/csv; charset=utf-8',
  header: `device_id,sensor,timestamp,value,unit,quality${hasDate ? ',date' : ''}\r\n`,
  writerOf({ deviceId, sensor, unit }) {
    const start = `${cell(deviceId)},${cell(sensor)},`;
    const middle = `,${cell(unit)},`;
    const endOf = (date: string): string => (hasDate ? `,${date}\r\n` : '\r\n');
    return (timestamp, value, quality, date) =>
      `${start}${timestamp},${value ?? ''}${middle}${quality}${endOf(date)}`;
  },
});

const jsonFormat = (hasDate: boolean): RowFormat => ({
  contentType: 'application/x-ndjson; charset=utf-8',
  header: '',
  writerOf({ deviceId, sensor, unit }) {
    const start = `{"device_id":${JSON.stringify(deviceId)},"sensor":${JSON.stringify(sensor)},"timestamp":"`;
    const middle = `,"unit":${JSON.stringify(unit)},"quality":"`;
    const endOf = (date: string): string => (hasDate ? `","date":"${date}"}\n` : '"}\n');
    return (timestamp, value, quality, date) =>
      `${start}${timestamp}","value":${value}${middle}${quality}${endOf(date)}`;
  },
});

/** A text that a spreadsheet would take for a formula gets an apostrophe before it, as spreadsheets write it themselves. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
