import './health-page.css';
import type { Readiness } from '@granary/contract/endpoints/health';
import { DAY_MS } from '@granary/contract/time';
import { useEffect } from 'preact/hooks';
import { useConsole } from '../context/console.ts';
import { type Fact, FactList } from '../kit/fact-list.tsx';
import { formatDuration, formatNumber } from '../kit/format.ts';
import { Time } from '../kit/measured.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { useLoaded } from '../kit/use-loaded.ts';
import { locale, texts } from '../texts.ts';
import { type Figures, figuresOf, parseMetrics } from './health-figures.ts';

const MEBIBYTE = 1_024 * 1_024;
const GIGABYTE = 1e9;
const EVERY_MS = 5_000;
/** A smaller share of free room, or a shorter time, is shown in bold. */
const FREE_SHARE_MIN = 0.1;
const CERTIFICATE_LEFT_MS_MIN = 14 * DAY_MS;
const CHECKS = ['storage', 'device_link', 'ingest'] as const;

/** Shows whether the service can do its work, and its figures. */
export function HealthPage() {
  const { client, live } = useConsole();
  const { nowMs } = live.site.clock;
  const { health, shell } = texts.value;
  const { value, failure, reload } = useLoaded(async (signal) => {
    const options = { signal, timeLimitMs: EVERY_MS };
    const [ready, metrics] = await Promise.all([
      client.health.ready(options),
      client.health.metrics(options).catch(() => ''),
    ]);
    return { ready, figures: metrics === '' ? null : figuresOf(parseMetrics(metrics)) };
  }, []);
  useEffect(() => {
    const timer = setInterval(reload, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  if (value === undefined)
    return failure === null ? <Notice>{shell.loading}</Notice> : <Failure of={failure} />;
  const { ready, figures } = value;
  const isReady = ready.status === 'ok';
  return (
    <>
      <Failure of={failure} />
      <div class="health-page">
        <section class="panel" aria-label={health.checks}>
          <h2>{isReady ? health.ready : health.notReady}</h2>
          <FactList
            facts={[
              ...CHECKS.map((name) => ({
                title: health.checkNames[name],
                value: ready.checks[name] === 'ok' ? health.ok : ready.checks[name],
                isUnusual: ready.checks[name] !== 'ok',
              })),
              { title: health.setAside, value: ready.set_aside, isUnusual: ready.set_aside > 0 },
              ...(ready.backup === undefined ? [] : [backupFact(ready.backup)]),
              ...(figures === null ? [] : endingFacts(figures, nowMs.peek())),
            ]}
          />
        </section>
        <section class="panel" aria-label={health.faults}>
          <h2>{health.faults}</h2>
          <FactList
            facts={Object.entries(health.faultNames).map(([name, title]) => {
              const count = ready.ingest[name as keyof typeof ready.ingest];
              return { title, value: count, isUnusual: count > 0 };
            })}
          />
        </section>
        <section class="panel" aria-label={health.figures}>
          <h2>{health.figures}</h2>
          {figures === null ? <p class="muted">{health.noFigures}</p> : <FigureList figures={figures} />}
        </section>
      </div>
    </>
  );
}

function backupFact({ last_at, is_failing }: NonNullable<Readiness['backup']>): Fact {
  const { health } = texts.value;
  const at = last_at === null ? health.noBackup : <Time at={last_at} />;
  return {
    title: health.backup,
    value: is_failing ? [at, ` · ${health.backupFailing}`] : at,
    isUnusual: is_failing,
  };
}

/** The resources that run out unnoticed: the room on the disk and the time of the certificate, where the service reports them. */
function endingFacts({ disk, certificateEndsMs }: Figures, nowMs: number): Fact[] {
  const { health } = texts.value;
  const facts: Fact[] = [];
  if (disk !== null) {
    facts.push({
      title: health.disk,
      value: health.freeOf({ free: formatBytes(disk.freeBytes), size: formatBytes(disk.sizeBytes) }),
      isUnusual: disk.freeBytes < disk.sizeBytes * FREE_SHARE_MIN,
    });
  }
  if (certificateEndsMs !== null) {
    const at = <Time at={new Date(certificateEndsMs).toISOString()} />;
    facts.push({
      title: health.certificate,
      value: certificateEndsMs < nowMs ? [at, ` · ${health.certificateEnded}`] : at,
      isUnusual: certificateEndsMs < nowMs + CERTIFICATE_LEFT_MS_MIN,
    });
  }
  return facts;
}

const formatBytes = (bytes: number): string =>
  new Intl.NumberFormat(locale.value, {
    style: 'unit',
    unit: 'gigabyte',
    maximumSignificantDigits: 3,
  }).format(bytes / GIGABYTE);

function FigureList({ figures }: { readonly figures: Figures }) {
  const { clock } = useConsole().live.site;
  const { figureNames } = texts.value.health;
  const number = (value: number | null, decimals = 0): string | null =>
    value === null ? null : formatNumber(value, decimals, locale.value);
  const pair = (values: readonly [number, number] | null): string | null =>
    values === null ? null : `${number(values[0])}, ${number(values[1])}`;
  const withUnit = (text: string | null, unit: string): string | null =>
    text === null ? null : `${text} ${unit}`;
  const { startedAtMs, memoryBytes } = figures;
  const rows: readonly (readonly [title: string, text: string | null])[] = [
    [figureNames.version, figures.version],
    [figureNames.node, figures.node],
    [figureNames.storage, figures.storage],
    [figureNames.running, startedAtMs === null ? null : formatDuration(clock.nowMs.value - startedAtMs)],
    [figureNames.devices, number(figures.connectedDevices)],
    [figureNames.readings, number(figures.readings)],
    [figureNames.queued, number(figures.queuedReadings)],
    [figureNames.commits, number(figures.commits)],
    [figureNames.write, withUnit(number(figures.meanWriteMs, 1), 'ms')],
    [figureNames.events, number(figures.newestEvent)],
    [figureNames.streams, number(figures.streams)],
    [figureNames.webhooks, pair(figures.webhooks)],
    [figureNames.notifications, pair(figures.notifications)],
    [figureNames.memory, withUnit(number(memoryBytes === null ? null : memoryBytes / MEBIBYTE), 'MiB')],
    [figureNames.delay, withUnit(number(figures.loopDelayMs, 1), 'ms')],
    [figureNames.requests, pair(figures.requests)],
  ];
  return <FactList facts={rows.map(([title, text]) => ({ title, value: text ?? '–' }))} />;
}
