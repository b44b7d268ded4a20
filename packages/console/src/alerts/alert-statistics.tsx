import { RAISED_PER_HOUR_ACCEPTABLE, RAISED_PER_HOUR_MANAGEABLE } from '@granary/contract/outline';
import './alert-statistics.css';
import type { AlertStatistics } from '@granary/contract/alert-statistics';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import type { ComponentChildren } from 'preact';
import { useConsole, useIsLost } from '../context/console.ts';
import { DeviceName } from '../kit/device-name.tsx';
import { Segments } from '../kit/filter-bar.tsx';
import { formatNumber } from '../kit/format.ts';
import { Age, Time } from '../kit/measured.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { datedText } from '../kit/sentences.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { useLoaded } from '../kit/use-loaded.ts';
import { locale, texts } from '../texts.ts';

const DAYS = ['1', '7', '30'] as const;
const DAYS_USUAL = '7';
const CHART_HEIGHT = 120;

/** Shows how often alerts are raised, compared with what a person can handle, and which ones to improve. */
export function AlertStatisticsPart() {
  const { client, live, navigation } = useConsole();
  const { statistics, listNames } = texts.value.alerts;
  const { query } = navigation.route.value;
  const facility = query.get('facility') || null;
  const days = DAYS.find((one) => one === query.get('days')) ?? DAYS_USUAL;
  const { value, failure } = useLoaded(
    (signal) => {
      const from = new Date(live.site.clock.nowMs.peek() - Number(days) * DAY_MS).toISOString();
      const place = facility === null ? {} : { facility };
      return client.fleet.alertStatistics({ from, ...place }, { signal });
    },
    [client, facility, days, useIsLost()],
  );
  return (
    <div class="alert-statistics">
      <Segments
        name="days"
        label={statistics.time}
        options={DAYS.map((one) => [one === DAYS_USUAL ? '' : one, statistics.days({ count: Number(one) })])}
      />
      <Failure of={failure} />
      {value === undefined && failure === null && <Notice>{texts.value.shell.loading}</Notice>}
      {value !== undefined && (
        <>
          <section class="panel" aria-label={listNames.statistics}>
            <p>
              <strong class="alert-statistics-rate">
                {formatNumber(value.per_hour, value.per_hour < 1 ? 2 : 1, locale.value)}
              </strong>{' '}
              {statistics.perHour} · {statistics.measure({ word: wordOf(value.per_hour) })}
            </p>
            <RateChart statistics={value} />
            <p class="muted">
              {statistics.counts({
                raised: value.raised.total,
                floods: value.flood_periods,
                shelved: value.shelved,
              })}{' '}
              {statistics.reference}
            </p>
          </section>
          <StatisticsLists statistics={value} />
        </>
      )}
    </div>
  );
}

const wordOf = (perHour: number): 'acceptable' | 'manageable' | 'tooMany' => {
  if (perHour <= RAISED_PER_HOUR_ACCEPTABLE) return 'acceptable';
  return perHour <= RAISED_PER_HOUR_MANAGEABLE ? 'manageable' : 'tooMany';
};

/** Draws one bar for each hour or day, with a line at the acceptable rate. */
function RateChart({
  statistics: { from, to, buckets, bucket_minutes },
}: {
  readonly statistics: AlertStatistics;
}) {
  const { statistics } = texts.value.alerts;
  const bucketMs = bucket_minutes * MINUTE_MS;
  const firstMs = Math.floor(Date.parse(from) / bucketMs) * bucketMs;
  const count = Math.ceil((Date.parse(to) - firstMs) / bucketMs);
  const rates = buckets.map((bucket) => ({
    at: (Date.parse(bucket.from) - firstMs) / bucketMs,
    perHour: (bucket.raised * 60) / bucket_minutes,
  }));
  const most = Math.max(RAISED_PER_HOUR_MANAGEABLE, ...rates.map(({ perHour }) => perHour));
  const y = (perHour: number): number => CHART_HEIGHT * (1 - perHour / most);
  const limit = y(RAISED_PER_HOUR_ACCEPTABLE);
  return (
    <figure class="alert-statistics-figure">
      <svg
        class="alert-statistics-chart"
        viewBox={`0 0 ${count} ${CHART_HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={statistics.chart({
          most: Math.round(Math.max(0, ...rates.map(({ perHour }) => perHour))),
        })}
      >
        {rates.map(({ at, perHour }) => (
          <rect key={at} x={at + 0.1} width={0.8} y={y(perHour)} height={CHART_HEIGHT - y(perHour)} />
        ))}
        <line x1={0} x2={count} y1={limit} y2={limit} />
      </svg>
      <span class="alert-statistics-limit muted" style={{ top: `${limit}px` }}>
        {`${RAISED_PER_HOUR_ACCEPTABLE}/h`}
      </span>
      <figcaption class="muted">
        <span>{datedText(from)}</span>
        <span>{datedText(to)}</span>
      </figcaption>
    </figure>
  );
}

function StatisticsLists({ statistics: found }: { readonly statistics: AlertStatistics }) {
  const { alarmHelp, alerts } = texts.value;
  const { statistics } = alerts;
  const raised = (of: AlertStatistics['most_frequent']) =>
    of.map((one) => (
      <li key={`${one.device_id} ${one.type}`}>
        <SeverityMark severity={one.severity} text={statistics.times({ count: one.raised })} />
        <div>
          <p>
            <DeviceName deviceId={one.device_id} />
          </p>
          <p>{alarmHelp.types[one.type].name}</p>
        </div>
        <span class="muted">
          <Time at={one.last_at} />
        </span>
      </li>
    ));
  return (
    <div class="alert-statistics-parts">
      <List title={statistics.mostFrequent}>{raised(found.most_frequent)}</List>
      <List title={statistics.chattering} hint={statistics.chatteringHint}>
        {raised(found.chattering)}
      </List>
      <List title={`${statistics.standing} (${found.standing.total})`} hint={statistics.standingHint}>
        {found.standing.alerts.map((one) => (
          <li key={`${one.device_id} ${one.type} ${one.since}`}>
            <SeverityMark severity={one.severity} text="" />
            <div>
              <p>
                <DeviceName deviceId={one.device_id} />
              </p>
              <p>{alarmHelp.types[one.type].name}</p>
            </div>
            {one.since !== null && (
              <span class="muted">
                <Age since={one.since} />
              </span>
            )}
          </li>
        ))}
      </List>
    </div>
  );
}

interface ListProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: readonly ComponentChildren[];
}

const List = ({ title, hint, children }: ListProps) => (
  <section class="panel" aria-label={title}>
    <h2>{title}</h2>
    {hint !== undefined && <p class="muted">{hint}</p>}
    {children.length === 0 ? <p class="muted">{texts.value.shifts.nothing}</p> : <ul>{children}</ul>}
  </section>
);
