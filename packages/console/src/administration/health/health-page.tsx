import { useEffect } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { Time } from '../../parts/age.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { texts } from '../../texts/texts.ts';
import { FigureList } from './figure-list.tsx';
import { figuresOf } from './figures.ts';
import { parseMetrics } from './metrics.ts';
import './health-page.css';

const EVERY_MS = 5_000;

/** Whether the service can do its work, and its figures. */
export function HealthPage() {
  const { client } = useConsole();
  const { health, frame } = texts.value;
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
    return failure === null ? <Notice>{frame.loading}</Notice> : <Failure of={failure} />;
  const { ready, figures } = value;
  const isReady = ready.status === 'ok';
  return (
    <>
      <Failure of={failure} />
      <div class="health-page">
        <section class="panel" aria-label={health.checks}>
          <h2>{isReady ? health.ready : health.notReady}</h2>
          <dl class="fact-list">
            {(['storage', 'device_link', 'ingest'] as const).map((name) => (
              <HealthFact
                key={name}
                name={health.checkNames[name]}
                text={ready.checks[name] === 'ok' ? health.ok : ready.checks[name]}
                isUnusual={ready.checks[name] !== 'ok'}
              />
            ))}
            <HealthFact
              name={health.setAside}
              text={String(ready.set_aside)}
              isUnusual={ready.set_aside > 0}
            />
            {ready.backup !== undefined && (
              <>
                <dt>{health.backup}</dt>
                <dd class={ready.backup.is_failing ? 'unusual' : ''}>
                  {ready.backup.last_at === null ? health.noBackup : <Time at={ready.backup.last_at} />}
                  {ready.backup.is_failing && ` · ${health.backupFailing}`}
                </dd>
              </>
            )}
          </dl>
        </section>
        <section class="panel" aria-label={health.faults}>
          <h2>{health.faults}</h2>
          <dl class="fact-list">
            {Object.entries(health.faultNames).map(([name, title]) => {
              const count = ready.ingest[name as keyof typeof ready.ingest];
              return <HealthFact key={name} name={title} text={String(count)} isUnusual={count > 0} />;
            })}
          </dl>
        </section>
        <section class="panel" aria-label={health.figures}>
          <h2>{health.figures}</h2>
          {figures === null ? <p class="muted">{health.noFigures}</p> : <FigureList figures={figures} />}
        </section>
      </div>
    </>
  );
}

interface FactProps {
  readonly name: string;
  readonly text: string;
  readonly isUnusual: boolean;
}

/** What is not as usual is in bold; the alarm colours are for alerts only. */
const HealthFact = ({ name, text, isUnusual }: FactProps) => (
  <>
    <dt>{name}</dt>
    <dd class={isUnusual ? 'unusual' : ''}>{text}</dd>
  </>
);
