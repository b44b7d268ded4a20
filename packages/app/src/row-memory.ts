import type { NoChangeRanges } from '@granary/core/alerts/no-change-ranges';
import type { Reception } from '@granary/core/reception/reception';
import type { OpenBuckets } from '@granary/core/telemetry/open-bucket';

/** The row of up to three sensors of a device. */
export interface OpenBucketRow {
  readonly deviceNo: number;
  readonly group: number;
  /** Changed in place. */
  readonly open: OpenBuckets;
}

/** About 400 bytes each. */
const ROWS_KEPT_MAX = 32_768;

/**
 * Rows that nearly every batch of readings needs, kept as they are stored, so that they are not read again and again while one
 * connection makes all changes of its database. Whoever changes such a row elsewhere removes it here.
 */
export class RowMemory {
  /** By the key of the series. */
  readonly openBuckets = new Map<number, OpenBucketRow>();
  /** By the number of the device. */
  readonly noChangeRanges = new Map<number, NoChangeRanges | null>();
  /** Of all devices that have one, by their numbers; `null` until they are read. */
  receptions: Map<number, Reception> | null = null;

  keepOpenBuckets(key: number, row: OpenBucketRow): void {
    keep(this.openBuckets, key, row);
  }

  keepNoChangeRanges(deviceNo: number, ranges: NoChangeRanges | null): void {
    keep(this.noChangeRanges, deviceNo, ranges);
  }

  /** Must be called when changes are rolled back, and when another connection has made some. */
  clear(): void {
    this.openBuckets.clear();
    this.noChangeRanges.clear();
    this.receptions = null;
  }
}

function keep<Row>(rows: Map<number, Row>, key: number, row: Row): void {
  if (rows.size >= ROWS_KEPT_MAX) rows.clear();
  rows.set(key, row);
}
