import type { ReadSlices } from '@granary/app/app';
import { beforeTime, type RawRow } from '@granary/app/telemetry/raw-row';
import { toIso } from '@granary/contract/time';
import { type ExportedSensor, exportedValue } from '@granary/core/exports';
import type { ExportPages } from './export-runner.ts';
import type { DevicesToExport } from './exported-devices.ts';
import type { RowFormat, RowWriter } from './row-format.ts';

/** A page takes about a millisecond, which is what a stop may wait for it. */
const ROWS_PER_PAGE = 250;
const SCANNED_PER_PAGE = 5_000;
/** A longer list of devices costs more in each page than the rows of other devices. */
const DEVICES_FILTERED_MAX = 200;

interface Column {
  readonly sensor: ExportedSensor;
  readonly write: RowWriter;
}

/** The columns of one stored row, by device and sensor group. */
type Columns = ReadonlyMap<number, ReadonlyMap<number, readonly Column[]>>;

export interface RawRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The text of raw readings, ordered by time. Readings with older times that arrive meanwhile may be missing. */
export async function* rawReadingPages(
  app: ReadSlices,
  { devices, isEveryDevice }: DevicesToExport,
  { fromMs, toMs }: RawRange,
  format: RowFormat,
): ExportPages {
  const columns = columnsOf(devices, format);
  const isFewDevices = !isEveryDevice && devices.length <= DEVICES_FILTERED_MAX;
  const deviceNos = isFewDevices ? devices.map(({ deviceNo }) => deviceNo) : null;
  const groups = [...new Set(devices.flatMap(({ sensors }) => sensors.map(({ lane }) => lane.group)))];
  let text = format.header;
  if (devices.length > 0) {
    let after = beforeTime(fromMs);
    for (;;) {
      const { rows, next } = await app.exports.rawPage({
        after,
        toMs,
        deviceNos,
        groups: isFewDevices ? groups : null,
        rowsMax: ROWS_PER_PAGE,
        scannedMax: SCANNED_PER_PAGE,
      });
      for (const row of rows) text += textOf(row, columns);
      if (next === null) break;
      after = next;
      yield text;
      text = '';
    }
  }
  yield text;
}

function columnsOf(devices: DevicesToExport['devices'], format: RowFormat): Columns {
  return new Map(
    devices.map(({ deviceNo, deviceId, sensors }) => {
      const columns = sensors.map((sensor) => ({
        sensor,
        write: format.writerOf({ deviceId, sensor: sensor.name, unit: sensor.unit }),
      }));
      return [deviceNo, Map.groupBy(columns, ({ sensor }) => sensor.lane.group)];
    }),
  );
}

function textOf([tsMs, deviceNo, group, ...stored]: RawRow, columns: Columns): string {
  let text = '';
  const badMask = stored[3] ?? 0;
  for (const { sensor, write } of columns.get(deviceNo)?.get(group) ?? []) {
    const { slot } = sensor.lane;
    const value = stored[slot];
    if (value === null) continue;
    const isBad = (badMask & (1 << slot)) !== 0;
    text += write(toIso(tsMs), exportedValue(value, sensor), isBad ? 'bad' : 'good', '');
  }
  return text;
}
