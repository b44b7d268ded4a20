import { deliveryFit } from '@granary/contract/foresight/delivery-fit';
import type { Forecast } from '@granary/contract/foresight/forecasts';
import type { PlannedDelivery } from '@granary/contract/foresight/silo-use';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole, useScope } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { useAction } from '../kit/form-state.ts';
import { formatMass } from '../kit/format.ts';
import { bound } from '../kit/inputs.tsx';
import { Time } from '../kit/measured.tsx';
import { Failure } from '../kit/messages.tsx';
import { MomentInput } from '../kit/moment-input.tsx';
import { NumberInput } from '../kit/number-input.tsx';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { locale, texts } from '../texts.ts';
import type { LevelPoint } from './fan-chart.tsx';
import { tooMuchSentence } from './forecast-words.ts';

interface DeliveriesProps {
  readonly deviceId: string;
  readonly timeZone: string;
  readonly forecast: Forecast;
  readonly capacityKg: number;
  readonly planned: readonly PlannedDelivery[];
  readonly reload: () => void;
}

/** Shows the orders that people have entered; the alert about an empty silo takes them into account. */
export function PlannedDeliveries({
  deviceId,
  timeZone,
  forecast,
  capacityKg,
  planned,
  reload,
}: DeliveriesProps) {
  const shared = useConsole();
  const words = texts.value.foresight;
  const nowMs = shared.live.site.clock.nowMs.peek();
  const reading = { nowMs, language: locale.value, words, timeZone };
  const mass = (amount: number): string => formatMass(amount, locale.value, deviceId);
  const expected = new Map(
    forecast.with_deliveries?.deliveries.map((delivery) => [Date.parse(delivery.at), delivery] as const),
  );
  const tooMuch = ({ at, kg }: PlannedDelivery): string | null => {
    const delivery = expected.get(Date.parse(at));
    if (delivery === undefined) return null;
    return tooMuchSentence({ kg, fitsKg: delivery.fits_kg, fitsFrom: delivery.fits_from }, mass, reading);
  };
  const mayOperate = useScope('operate');
  const at = useSignal('');
  const kg = useSignal('');
  const { run, isRunning, failure } = useAction();
  const atMs = Date.parse(at.value);
  const entered = { atMs, kg: Number(kg.value) };
  const warning = enteredWarning({ forecast, capacityKg, entered, mass, reading });
  const plan = async (event: Event): Promise<void> => {
    event.preventDefault();
    const delivery = { at: new Date(atMs).toISOString(), kg: Number(kg.peek()) };
    if (!(await run(() => shared.client.foresight.planDelivery(deviceId, delivery, callOptions(shared)))))
      return;
    at.value = '';
    kg.value = '';
    reload();
  };
  const cancel = async (time: string): Promise<void> => {
    if (await run(() => shared.client.foresight.cancelDelivery(deviceId, { at: time }, callOptions(shared))))
      reload();
  };
  return (
    <section class="panel" aria-label={words.planned}>
      <h2>{words.planned}</h2>
      {planned.length === 0 && <p class="muted">{words.nothingPlanned}</p>}
      <ul class="forecast-planned">
        {planned.map((delivery) => (
          <li key={delivery.at}>
            <Time at={delivery.at} timeZone={timeZone} isDated /> · {mass(delivery.kg)}
            {mayOperate && (
              <Button kind="quiet" isBusy={isRunning} onPress={() => void cancel(delivery.at)}>
                {words.cancelDelivery}
              </Button>
            )}
            <TooMuch text={tooMuch(delivery)} />
          </li>
        ))}
      </ul>
      <Failure of={failure} />
      {mayOperate && (
        <form aria-label={words.plan} onSubmit={(event) => void plan(event)}>
          <h3>{words.plan}</h3>
          <p class="muted">{words.planMeans}</p>
          <MomentInput label={words.at} timeZone={timeZone} isRequired {...bound(at)} />
          <NumberInput label={words.amount} unit="kg" deviceId={deviceId} isRequired {...bound(kg)} />
          <div role="status">
            <TooMuch text={warning} />
          </div>
          <Button type="submit" isChange isBusy={isRunning}>
            {words.enter}
          </Button>
        </form>
      )}
    </section>
  );
}

/** A warning that prevents nothing, because the person may know of a withdrawal that the forecast does not contain. */
const TooMuch = ({ text }: { readonly text: string | null }) =>
  text === null ? null : (
    <p class="forecast-too-much">
      <SeverityMark severity="warning" text={text} />
    </p>
  );

interface Entered {
  readonly forecast: Forecast;
  readonly capacityKg: number;
  readonly entered: LevelPoint;
  readonly mass: (kg: number) => string;
  readonly reading: Parameters<typeof tooMuchSentence>[2];
}

/** A warning when the entered delivery does not fit; `null` when it fits, while it is incomplete, or if no level is known. */
function enteredWarning({ forecast, capacityKg, entered, mass, reading }: Entered): string | null {
  const { atMs, kg } = entered;
  if (!Number.isFinite(atMs) || !(kg > 0) || !(capacityKg > 0)) return null;
  const path = forecast.with_deliveries === null ? forecast.path : forecast.path_with_deliveries;
  const present = forecast.level_kg === null ? [] : [{ atMs: reading.nowMs, kg: forecast.level_kg }];
  const levels = path.length === 0 ? present : path.map(({ at, p90 }) => ({ atMs: Date.parse(at), kg: p90 }));
  if (levels.length === 0) return null;
  const fit = deliveryFit(levels, capacityKg, { atMs: Math.max(atMs, reading.nowMs), kg });
  const fitsFrom = fit.allFromMs === null ? null : new Date(fit.allFromMs).toISOString();
  return tooMuchSentence({ kg, fitsKg: fit.kg, fitsFrom }, mass, reading);
}
