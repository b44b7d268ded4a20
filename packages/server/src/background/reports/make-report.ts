import type { ReadSlices } from '@granary/app/app';
import type { DeviceSelection } from '@granary/app/conditions';
import { REPORT_ITEMS_MAX, type Report } from '@granary/contract/reports';
import { toIso } from '@granary/contract/time';
import { operationRecord } from '@granary/core/operations/record';
import type { ReportDays } from '@granary/core/reports/period';
import { reportOf, type SiloFacts } from '@granary/core/reports/report';

const SILOS_PER_READ = 100;

export interface ReportWish {
  readonly devices: DeviceSelection;
  readonly days: ReportDays;
  /** The label as the caller gave it; `null` without one. */
  readonly label: string | null;
  readonly nowMs: number;
}

type Reads = Pick<ReadSlices, 'reports' | 'foresight' | 'fleet' | 'alerts' | 'shifts'>;

/** Makes the report in parts, because there may be thousands of silos; other work has its turn between two parts. */
export async function makeReport(
  app: Reads,
  { devices, days, label, nowMs }: ReportWish,
  nextPart: () => Promise<void>,
): Promise<Report> {
  const isOver = days.toMs <= nowMs;
  const range = { devices, fromMs: days.fromMs, toMs: Math.min(days.toMs, nowMs) };
  const limit = REPORT_ITEMS_MAX + 1;
  const wanted = {
    devices,
    fromDay: days.chartFirstDay,
    endDay: days.endDay,
    beginMs: days.fromMs,
    endMs: isOver ? days.toMs : null,
    limit: SILOS_PER_READ,
  };
  const silos: SiloFacts[] = [];
  for (let after: string | null = null, isLast = false; !isLast; ) {
    const part: SiloFacts[] = await app.reports.silos({ ...wanted, after });
    silos.push(...part);
    after = part.at(-1)?.deviceId ?? null;
    isLast = part.length < SILOS_PER_READ;
    await nextPart();
  }
  const refills = await app.foresight.refills({ ...range, beforeId: null, limit });
  await nextPart();
  const { raised } = await app.alerts.statistics(range);
  await nextPart();
  const alerts = await app.alerts.raised(range, limit, true);
  const open = await app.fleet.alerts({
    devices,
    filter: 'open',
    severity: 'critical',
    type: null,
    beforeId: null,
    limit,
  });
  await nextPart();
  const operations = await app.shifts.operations({ ...range, withUnfinished: false, limit });
  return reportOf({
    days,
    facility: devices.facility,
    label,
    nowMs,
    silos,
    refills: refills.filter(({ isRefill }) => isRefill),
    openCritical: open
      .filter(({ state }) => state.status !== 'cleared')
      .map(({ state, deviceId, deviceName }) => ({
        device_id: deviceId,
        device_name: deviceName,
        type: state.type,
        since: toIso(state.createdAtMs),
      })),
    // The lengths are those of the lists that were read, from which the entries of the report were selected.
    cut: [
      ...(refills.length === limit ? (['deliveries'] as const) : []),
      ...(open.length === limit ? (['open_critical'] as const) : []),
    ],
    raised,
    alerts,
    operations: operations.map(({ state, deviceId, deviceName }) => ({
      ...operationRecord(state),
      device_id: deviceId,
      device_name: deviceName,
    })),
  });
}
