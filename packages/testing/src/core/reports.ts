import { DAY_MS } from '@granary/contract/time';
import type { Forecast } from '@granary/core/foresight/types';
import { dayOf, daysAround } from '@granary/core/reports/period';
import { reportOf, type SiloFacts } from '@granary/core/reports/report';

export const BERLIN = 'Europe/Berlin';
export const NOW_MS = Date.parse('2026-11-18T05:00:00Z');
const DAYS = daysAround('daily', dayOf('2026-11-17') ?? 0, BERLIN);
const forecast = {
  status: 'ok',
  levelKg: 4_000,
  use: { kgPerDay: 1_500, changePercent: null },
  empty: { p10Ms: null, p50Ms: NOW_MS + 3 * DAY_MS, p90Ms: null },
  orderByMs: NOW_MS + DAY_MS,
  suggestion: { kg: 14_000, fitsFromMs: 0, deliverFromMs: 0, deliverToMs: 0 },
} as unknown as Forecast;

export const siloFacts = (facts: Partial<SiloFacts> = {}): SiloFacts => ({
  deviceId: 'silo-1',
  name: 'Silo 1',
  facility: 'North',
  zone: 'a',
  capacityKg: 20_000,
  product: 'Wheat',
  bushelKg: null,
  forecast,
  beginKg: 5_500,
  endKg: 4_000,
  days: [
    { day: DAYS.firstDay - 1, kg: 1_400, dischargedKg: 0, refilledKg: 9_000 },
    { day: DAYS.firstDay, kg: 1_500, dischargedKg: 200, refilledKg: 0 },
  ],
  ...facts,
});

export const reported = (silos: readonly SiloFacts[], more: Partial<Parameters<typeof reportOf>[0]> = {}) =>
  reportOf({
    days: DAYS,
    facility: null,
    label: null,
    nowMs: NOW_MS,
    silos,
    refills: [],
    openCritical: [],
    cut: [],
    raised: { total: 0, info: 0, warning: 0, critical: 0 },
    alerts: [],
    operations: [],
    ...more,
  });

export const READER = { language: 'en', mass: 'metric', schedule: null, consoleUrl: null } as const;
