import type { App } from '@granary/app/app';
import type { RawPageRequest } from '@granary/app/telemetry/raw-pages';
import { beforeTime, type RawPosition, type RawRow } from '@granary/app/telemetry/raw-row';
import type { Reading } from '@granary/core/telemetry/readings';

type Wanted = Partial<Omit<RawPageRequest, 'after'>> & { readonly fromMs?: number };

/** All pages of raw readings, as an export reads them. */
export async function everyRawRow(app: Pick<App, 'exports'>, wanted: Wanted = {}): Promise<RawRow[]> {
  const { fromMs = 0, ...page } = wanted;
  const found: RawRow[] = [];
  for (let after: RawPosition | null = beforeTime(fromMs); after !== null; ) {
    const { rows, next } = await app.exports.rawPage({
      deviceNos: null,
      groups: null,
      toMs: Number.MAX_SAFE_INTEGER,
      rowsMax: 250,
      scannedMax: 5_000,
      ...page,
      after,
    });
    found.push(...rows);
    after = next;
  }
  return found;
}

export const rawRowOf = ({ tsMs, deviceNo, group, a, b, c, badMask }: Reading): RawRow => [
  tsMs,
  deviceNo,
  group,
  a,
  b,
  c,
  badMask === 0 ? null : badMask,
];
