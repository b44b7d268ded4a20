import type { ExportFormat } from '@granary/contract/exports';

/** The columns of a row that are the same for all values of a sensor. */
export interface RowLabels {
  readonly deviceId: string;
  readonly sensor: string;
  readonly unit: string;
}

/** Writes one row; made once per sensor, because an export has millions of rows of few sensors. */
export type RowWriter = (timestamp: string, value: number, quality: string) => string;

export interface RowFormat {
  readonly contentType: string;
  readonly extension: string;
  readonly header: string;
  writerOf(labels: RowLabels): RowWriter;
}

export const ROW_FORMATS: Readonly<Record<ExportFormat, RowFormat>> = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    extension: 'csv',
    header: 'device_id,sensor,timestamp,value,unit,quality\r\n',
    writerOf({ deviceId, sensor, unit }) {
      const start = `${cell(deviceId)},${cell(sensor)},`;
      const middle = `,${cell(unit)},`;
      return (timestamp, value, quality) => `${start}${timestamp},${value}${middle}${quality}\r\n`;
    },
  },
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    extension: 'ndjson',
    header: '',
    writerOf({ deviceId, sensor, unit }) {
      const start = `{"device_id":${JSON.stringify(deviceId)},"sensor":${JSON.stringify(sensor)},"timestamp":"`;
      const middle = `,"unit":${JSON.stringify(unit)},"quality":"`;
      return (timestamp, value, quality) => `${start}${timestamp}","value":${value}${middle}${quality}"}\n`;
    },
  },
};

/** A text that a spreadsheet would take for a formula gets an apostrophe before it, as spreadsheets write it themselves. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
