import type { FleetDevice } from '@granary/contract/fleet';
import type { CablePoint, GrainState } from '@granary/contract/foresight/findings';
import { DAY_MS } from '@granary/contract/time';
import { useConsole } from '../context/console.ts';
import { type Fact, FactList } from '../kit/fact-list.tsx';
import { formatNumber, formatValue } from '../kit/format.ts';
import { Time } from '../kit/measured.tsx';
import { Failure } from '../kit/messages.tsx';
import { reasonText } from '../kit/sentences.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { useLoadedOfDevice } from '../kit/use-loaded.ts';
import { locale, texts } from '../texts.ts';

const MAP_MS = 30 * DAY_MS;
/** A higher temperature than this is drawn in full colour. */
const WARM_C = 35;

interface Props {
  readonly device: FleetDevice;
  readonly timeZone: string;
}

/** The daily means of a point on a cable, by the date. */
type Days = ReadonlyMap<string, number>;

/** Shows the state of stored grain: moisture, storage life, and the temperatures of its cables over time. */
export function GrainPanel({ device: { device_id }, timeZone }: Props) {
  const { client, live } = useConsole();
  const words = texts.value.foresight;
  const loaded = useLoadedOfDevice(device_id, /^(finding|configuration)\./, async (signal) => {
    const from = new Date(live.site.clock.nowMs.peek() - MAP_MS).toISOString();
    const grain = await client.foresight.grain(device_id, { signal });
    const ofSensors = new Map<string, Map<string, number>>();
    if (grain.points.length > 0) {
      const rows = client.exports.history({ device_id, interval: '1d', from, tz: timeZone }, { signal });
      for await (const { sensor, timestamp, date = timestamp, value } of rows) {
        if (value === null) continue;
        const days = ofSensors.get(sensor) ?? new Map<string, number>();
        ofSensors.set(sensor, days.set(date, value));
      }
    }
    return { grain, ofSensors };
  });
  if (loaded.value === undefined) return <Failure of={loaded.failure} />;
  const { grain, ofSensors } = loaded.value;
  if (grain.grain === null && grain.points.length === 0) return null;
  return (
    <section class="panel grain-panel" aria-label={words.grain}>
      <h2>{words.grain}</h2>
      <GrainFacts grain={grain} />
      {grain.points.length > 0 && (
        <>
          <p>
            {words.cableStatuses[grain.cable_status]}. <span class="muted">{words.cableSees}</span>
            {grain.moisture_migrates && <strong> {words.migrates}</strong>}
          </p>
          <HeatMap points={grain.points} ofSensors={ofSensors} />
        </>
      )}
      <Aeration grain={grain} timeZone={timeZone} />
    </section>
  );
}

function GrainFacts({ grain }: { readonly grain: GrainState }) {
  const words = texts.value.foresight;
  const { temperature_c, moisture_percent, equilibrium_moisture_percent, storage } = grain;
  const percent = (value: number): string => `${formatNumber(value, 1, locale.value)} %`;
  const facts: Fact[] = [];
  const add = (title: string, value: string): void => void facts.push({ title, value });
  if (temperature_c !== null) add(words.temperature, formatValue(temperature_c, 'celsius', locale.value));
  if (moisture_percent !== null) add(words.moisture, percent(moisture_percent));
  if (equilibrium_moisture_percent !== null) add(words.equilibrium, percent(equilibrium_moisture_percent));
  if (storage !== null) {
    const left = words.remaining({ days: Math.round(storage.remaining_days) });
    add(words.storageUsed, `${percent(storage.used_percent)}, ${left}`);
  }
  return <FactList facts={facts} />;
}

interface HeatMapProps {
  readonly points: readonly CablePoint[];
  readonly ofSensors: ReadonlyMap<string, Days>;
}

/** Draws a row for each point, the highest at the top, and a column for each day. */
function HeatMap({ points, ofSensors }: HeatMapProps) {
  const words = texts.value.foresight;
  const days = [
    ...new Set(points.flatMap(({ sensor_id }) => [...(ofSensors.get(sensor_id)?.keys() ?? [])])),
  ].sort();
  const values = points.flatMap(({ sensor_id }) => [...(ofSensors.get(sensor_id)?.values() ?? [])]);
  const low = Math.min(...values, WARM_C - 1);
  const share = (celsius: number): number => Math.min(1, Math.max(0, (celsius - low) / (WARM_C - low)));
  const rows = points.toSorted((one, other) => one.cable - other.cable || heightOf(other) - heightOf(one));
  return (
    <div class="grain-map">
      <table aria-label={words.heatMap}>
        <tbody>
          {rows.map((point) => (
            <tr key={point.sensor_id}>
              <th scope="row">
                {words.cable({ cable: point.cable })} ·{' '}
                {words.point({
                  point: point.point,
                  height:
                    point.height_m === null ? null : `${formatNumber(point.height_m, 1, locale.value)} m`,
                })}
                {point.temperature_c !== null &&
                  ` · ${formatValue(point.temperature_c, 'celsius', locale.value)}`}{' '}
                {point.severity === null ? (
                  <span class="muted">{words.states[point.state]}</span>
                ) : (
                  <SeverityMark severity={point.severity} />
                )}
              </th>
              {days.map((day) => {
                const value = ofSensors.get(point.sensor_id)?.get(day);
                const title =
                  value === undefined
                    ? ''
                    : `${day.slice(0, 10)}: ${formatValue(value, 'celsius', locale.value)}`;
                return (
                  <td
                    key={day}
                    class={point.state}
                    title={title}
                    style={
                      value === undefined
                        ? {}
                        : {
                            background: `color-mix(in oklab, var(--series-1), var(--vessel) ${100 - 100 * share(value)}%)`,
                          }
                    }
                  />
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const heightOf = ({ height_m, point }: CablePoint): number => height_m ?? point;

/** The times at which a fan would help; the service does not switch any fan. */
interface AerationProps {
  readonly grain: GrainState;
  readonly timeZone: string;
}

function Aeration({ grain: { aeration }, timeZone }: AerationProps) {
  const words = texts.value.foresight;
  if (aeration === null) return null;
  return (
    <div>
      <h3>{words.aeration}</h3>
      {aeration.windows.length === 0 && <p>{words.noWindows}</p>}
      <ul>
        {aeration.windows.map(({ from, to, action, reason }) => (
          <li key={from}>
            <strong>{words.actions[action]}</strong> <Time at={from} timeZone={timeZone} /> –{' '}
            <Time at={to} timeZone={timeZone} />: {reasonText(reason, timeZone)}
          </li>
        ))}
      </ul>
      <p class="muted">
        {aeration.reason !== null && `${reasonText(aeration.reason, timeZone)} `}
        {words.adviceOnly}
      </p>
    </div>
  );
}
