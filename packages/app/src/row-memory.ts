import type { NoChangeRanges } from '@granary/core/alerts/no-change-ranges';
import type { Reception } from '@granary/core/reception/reception';
import type { OpenBuckets } from '@granary/core/telemetry/open-bucket';

/** The row of up to three sensors of a device. */
export interface OpenBucketRow {
  readonly deviceNo: number;
  readonly group: number;
  /** The open buckets, which are changed in place. */
  readonly open: OpenBuckets;
}

/** The limit of the rows in memory; a row needs about 400 bytes. */
const ROWS_KEPT_MAX = 32_768;

/**
 * Keeps rows that nearly every batch of readings needs in their stored form, so that they are not read again and again while
 * one connection makes all changes of its database. A write that changes such a row elsewhere must remove it here.
 */
export class RowMemory {
  /** The keys are those of the series, as from `openBucketKey`. */
  readonly openBuckets = new Map<number, OpenBucketRow>();
  /** The keys are device numbers. */
  readonly noChangeRanges = new Map<number, NoChangeRanges | null>();
  /** The receptions of all devices that have one, by device number; `null` until they are read. */
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
