import './forecast-panel.css';
import type { Page } from '@granary/client';
import type { FleetDevice } from '@granary/contract/fleet';
import type { Finding } from '@granary/contract/foresight/findings';
import type { Forecast } from '@granary/contract/foresight/forecasts';
import type { Refill } from '@granary/contract/foresight/refills';
import { DAY_MS } from '@granary/contract/time';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole, useIsLost, useScope } from '../context/console.ts';
import { shownAs } from '../context/units.ts';
import { Button } from '../kit/button.tsx';
import { useAction } from '../kit/form-state.ts';
import { formatMass, formatNumber, unitSymbol, zoneOf } from '../kit/format.ts';
import { bound } from '../kit/inputs.tsx';
import { LastKnown, Time } from '../kit/measured.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { NumberBox } from '../kit/number-input.tsx';
import { reasonText } from '../kit/sentences.ts';
import { Table } from '../kit/table.tsx';
import { useLoadedOfDevice } from '../kit/use-loaded.ts';
import { locale, texts } from '../texts.ts';
import { DotStrip, FanChart } from './fan-chart.tsx';
import { deliverSentence, emptySentence, fitSentence, orderSentence } from './forecast-words.ts';
import { GrainPanel } from './grain-panel.tsx';
import { PlannedDeliveries } from './planned-deliveries.tsx';
import { SupplyForm } from './supply-form.tsx';

const PAST_MS = 7 * DAY_MS;
const REFILLS_MS = 90 * DAY_MS;
const ROWS_MAX = 50;

/** Shows when the silo runs empty, by when to order, why, and how accurate earlier forecasts were. */
export function ForecastPanel({ device }: { readonly device: FleetDevice }) {
  const { client, live } = useConsole();
  const { device_id } = device;
  const isLost = useIsLost();
  const mayConfigure = useScope('configure');
  const nowMs = live.site.clock.nowMs.peek();
  const since = (ms: number): string => new Date(live.site.clock.nowMs.peek() - ms).toISOString();
  const loaded = useLoadedOfDevice(
    device_id,
    /^(forecast|refill|configuration|finding)\./,
    async (signal) => {
      const [forecast, refills, findings, history, silo] = await Promise.all([
        client.foresight.forecast(device_id, {}, { signal }),
        client.foresight.refills({ device_id, from: since(REFILLS_MS), limit: ROWS_MAX }, { signal }),
        client.foresight.findings({ device_id, result: 'all', limit: ROWS_MAX }, { signal }),
        client.telemetry.history(
          device_id,
          { sensor: 'level', unit: 'kg', interval: '1h', from: since(PAST_MS) },
          { signal },
        ),
        client.configuration.silo.get(device_id, { signal }),
      ]);
      return { forecast, refills, findings, history, silo };
    },
  );
  const { shell } = texts.value;
  if (loaded.value === undefined) {
    return loaded.failure === null || isLost ? (
      <Notice>{shell.loading}</Notice>
    ) : (
      <Failure of={loaded.failure} />
    );
  }
  const { forecast, refills, findings, history, silo } = loaded.value;
  const timeZone = zoneOf(forecast);
  const reading = { nowMs, language: locale.value, words: texts.value.foresight, timeZone };
  const sentence = emptySentence(forecast, reading);
  const capacityKg = capacityOf(device);
  return (
    <div class="forecast-page">
      <div class="forecast-side">
        <section class="panel forecast-main" aria-label={texts.value.foresight.title}>
          <ForecastHead deviceId={device_id} forecast={forecast} nowMs={nowMs} />
          <FanChart
            deviceId={device_id}
            forecast={forecast}
            past={history.points.map(({ timestamp, value }) => ({
              atMs: Date.parse(timestamp),
              kg: value,
            }))}
            refills={refills.data}
            capacityKg={capacityKg}
            nowMs={nowMs}
            label={texts.value.foresight.fanOf({ sentence })}
          />
          <DotStrip forecast={forecast} nowMs={nowMs} />
          <Reasons forecast={forecast} />
        </section>
        <Findings findings={findings} />
        <Refills refills={refills} timeZone={timeZone} reload={loaded.reload} />
      </div>
      <div class="forecast-side">
        <PlannedDeliveries
          deviceId={device_id}
          timeZone={timeZone}
          forecast={forecast}
          capacityKg={capacityKg}
          planned={silo.configuration.supply?.planned ?? []}
          reload={loaded.reload}
        />
        {mayConfigure && <SupplyForm deviceId={device_id} use={silo.configuration} reload={loaded.reload} />}
      </div>
      <GrainPanel device={device} timeZone={timeZone} />
    </div>
  );
}

/** The capacity follows from weight and level together. */
function capacityOf({ readings = {} }: FleetDevice): number {
  const { weight, level } = readings;
  return weight === undefined || level === undefined || level.value <= 0
    ? 0
    : (weight.value * 100) / level.value;
}

interface HeadProps {
  readonly deviceId: string;
  readonly forecast: Forecast;
  readonly nowMs: number;
}

function ForecastHead({ deviceId, forecast, nowMs }: HeadProps) {
  const words = texts.value.foresight;
  const reading = { nowMs, language: locale.value, words, timeZone: zoneOf(forecast) };
  const order = orderSentence(forecast, reading);
  const { suggestion } = forecast;
  return (
    <header class="forecast-head">
      <h2 class="forecast-sentence">
        <LastKnown>{emptySentence(forecast, reading)}</LastKnown>{' '}
        {forecast.with_deliveries !== null && <small class="muted">{words.withDeliveries}</small>}
      </h2>
      {order !== null && <p class="forecast-order">{order}</p>}
      {suggestion !== null && (
        <p class="muted">
          {fitSentence(suggestion, (kg) => formatMass(kg, locale.value, deviceId), reading)} ·{' '}
          {deliverSentence(suggestion.deliver_between, reading)}
        </p>
      )}
    </header>
  );
}

function Reasons({ forecast }: { readonly forecast: Forecast }) {
  const words = texts.value.foresight;
  const { reasons, score, made_at } = forecast;
  return (
    <div class="forecast-reasons">
      <h3>{words.why}</h3>
      <ul>
        {reasons.map((reason) => (
          <li key={reason.code}>{reasonText(reason, zoneOf(forecast))}</li>
        ))}
        <li>
          {score === null
            ? words.noScore
            : words.score({
                days: score.horizon_days,
                count: score.forecasts,
                hours: formatNumber(score.mean_error_h, 0, locale.value),
                inside: Math.round((score.inside_percent * score.forecasts) / 100),
              })}
        </li>
      </ul>
      <p class="muted">
        {words.madeAt} <Time at={made_at} />
      </p>
    </div>
  );
}

interface RefillsProps {
  readonly refills: Page<Refill>;
  readonly timeZone: string;
  readonly reload: () => void;
}

function Refills({ refills: { data: refills, page }, timeZone, reload }: RefillsProps) {
  const words = texts.value.foresight;
  return (
    <section class="panel" aria-label={words.refills}>
      <h2>{words.refills}</h2>
      {refills.length === 0 ? (
        <p class="muted">{words.noRefills}</p>
      ) : (
        <Table
          label={words.refills}
          orderName="refills"
          rows={refills}
          idOf={({ refill_id }) => refill_id}
          columns={[
            {
              name: 'began',
              title: words.began,
              cell: ({ began_at }) => <Time at={began_at} timeZone={timeZone} />,
            },
            {
              name: 'kg',
              title: words.kg,
              cell: ({ kg, is_refill, device_id }) => {
                const text = formatMass(kg, locale.value, device_id);
                return is_refill ? text : <s>{text}</s>;
              },
            },
            { name: 'source', title: words.source, cell: ({ source }) => words.sources[source] },
            {
              name: 'note',
              title: texts.value.common.inUnit({
                name: words.note,
                unit: unitSymbol(shownAs('kg', refills[0]?.device_id ?? null).unit),
              }),
              cell: (refill) => <RefillNote key={refill.refill_id} refill={refill} reload={reload} />,
            },
          ]}
        />
      )}
      {page.next_cursor !== null && <p class="muted">{texts.value.common.moreThanListed}</p>}
    </section>
  );
}

/** Edits the delivery note of a refill, and whether it was a delivery. */
function RefillNote({ refill, reload }: { readonly refill: Refill; readonly reload: () => void }) {
  const shared = useConsole();
  const words = texts.value.foresight;
  const mayOperate = useScope('operate');
  const { run, isRunning, failure } = useAction();
  const { refill_id, device_id, delivery_note_kg, is_refill } = refill;
  const note = useSignal(delivery_note_kg === null ? '' : String(delivery_note_kg));
  const change = async (patch: { delivery_note_kg?: number | null; is_refill?: boolean }): Promise<void> => {
    if (await run(() => shared.client.foresight.changeRefill(refill_id, patch, callOptions(shared))))
      reload();
  };
  if (!mayOperate) {
    const shown = delivery_note_kg === null ? '–' : formatMass(delivery_note_kg, locale.value, device_id);
    return <span>{is_refill ? shown : words.wasNone}</span>;
  }
  return (
    <form
      class="refill-note"
      onSubmit={(event) => {
        event.preventDefault();
        void change({ delivery_note_kg: note.peek() === '' ? null : Number(note.peek()) });
      }}
    >
      {is_refill && (
        <>
          <NumberBox
            name={texts.value.common.inUnit({
              name: words.note,
              unit: unitSymbol(shownAs('kg', device_id).unit),
            })}
            unit="kg"
            deviceId={device_id}
            {...bound(note)}
          />
          <Button type="submit" kind="quiet" isBusy={isRunning}>
            {words.save}
          </Button>
        </>
      )}
      <Button kind="quiet" isBusy={isRunning} onPress={() => void change({ is_refill: !is_refill })}>
        {is_refill ? words.notARefill : words.isARefill}
      </Button>
      <Failure of={failure} />
    </form>
  );
}

/** Shows for what the silo was examined: each check with its result, and its evidence in a sentence. */
function Findings({ findings: { data: findings, page } }: { readonly findings: Page<Finding> }) {
  const words = texts.value.foresight;
  if (findings.length === 0) return null;
  return (
    <section class="panel" aria-label={words.findings}>
      <h2>{words.findings}</h2>
      <ul class="forecast-findings">
        {findings.map(({ type, sensor_id, result, text, code, evidence }) => (
          <li key={`${type} ${sensor_id}`} class={result}>
            <strong>{words.findingTypes[type]}</strong>: {words.results[result]}
            <span class="muted"> · {reasonText({ text, code, values: evidence.values })}</span>
          </li>
        ))}
      </ul>
      {page.next_cursor !== null && <p class="muted">{texts.value.common.moreThanListed}</p>}
    </section>
  );
}
