import type { Point } from '@granary/contract/positions';
import type { Signal } from '@preact/signals';
import { callOptions, useConsole } from '../../console.ts';
import { formatLength } from '../../format/lengths.ts';
import { formatTime } from '../../format/times.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { useAction } from '../../parts/forms/use-action.ts';
import { locale, texts } from '../../texts/texts.ts';
import { type Draft, EMPTY_DRAFT, hasStart, missionOf, startOf, withWaypoint } from './draft.ts';
import type { LegFaults } from './leg-faults.ts';
import { PreflightPanel } from './preflight-panel.tsx';
import { StartFields } from './start-fields.tsx';
import type { LivePreflight } from './use-preflight.ts';
import { WaypointRow } from './waypoint-row.tsx';

interface Props {
  readonly deviceId: string;
  readonly name: string;
  readonly draft: Signal<Draft>;
  readonly preflight: LivePreflight;
  readonly faults: LegFaults | null;
  /** Where a waypoint is added that is not pressed on the map. */
  readonly middle: () => Point;
  readonly onClose: (missionId: string | null) => void;
}

/** The drawn mission as a list, with the same order as on the map, and what it would need. */
export function PlannerPanel({ deviceId, name, draft, preflight, faults, middle, onClose }: Props) {
  const console = useConsole();
  const { missions } = texts.value;
  const { run, isRunning, failure } = useAction();
  const { waypoints } = draft.value;
  const isLost = console.live.connection.current.value.state === 'lost';
  const isAcceptable =
    preflight.result !== null && preflight.result.refusal === null && hasStart(draft.value);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    await run(async () => {
      const mission = missionOf(draft.peek(), missions.unnamed);
      const created = await console.client.missions.create(deviceId, mission, callOptions(console));
      console.live.site.missions.put({ device_id: deviceId, ...created });
      draft.value = EMPTY_DRAFT;
      onClose(created.mission_id);
    });
  };
  const faultOf = (index: number): string | null =>
    faults?.waypoints.get(index) ?? (faults?.tooFar.has(index) === true ? missions.tooFar : null);
  return (
    <form class="map-planner" onSubmit={(event) => void submit(event)}>
      <h2 class="free-text">{missions.planFor(name)}</h2>
      <Field label={missions.name}>
        {(id) => (
          <input
            id={id}
            type="text"
            maxLength={200}
            placeholder={missions.unnamed}
            value={draft.value.name}
            onInput={({ currentTarget }) => {
              draft.value = { ...draft.peek(), name: currentTarget.value };
            }}
          />
        )}
      </Field>
      <StartFields draft={draft} />
      <section aria-label={missions.waypoints}>
        <h3>{missions.waypoints}</h3>
        <p class="muted">{missions.howToAdd}</p>
        <ol class="map-waypoints">
          {waypoints.map((waypoint, index) => (
            <WaypointRow
              key={waypoint.id}
              draft={draft}
              waypoint={waypoint}
              index={index}
              fault={faultOf(index)}
            />
          ))}
        </ol>
        <Button
          onPress={() => {
            draft.value = withWaypoint(draft.peek(), middle());
          }}
        >
          {missions.addWaypoint}
        </Button>
      </section>
      <div class="map-submit">
        {waypoints.length > 0 && <PreflightPanel {...preflight} />}
        <Failure of={failure} />
        <div class="buttons">
          <Button kind="primary" type="submit" isBusy={isRunning} isDisabled={isLost || !isAcceptable}>
            {submitText(draft.value, preflight, console.live.site.clock.nowMs.peek())}
          </Button>
          <Button
            onPress={() => {
              draft.value = EMPTY_DRAFT;
              onClose(null);
            }}
          >
            {missions.discard}
          </Button>
        </div>
      </div>
    </form>
  );
}

/** The button says what will happen. */
function submitText(draft: Draft, { result }: LivePreflight, nowMs: number): string {
  const { missions } = texts.value;
  const count = draft.waypoints.length;
  const start = startOf(draft);
  if (start !== undefined) return missions.scheduleButton(count, formatTime(start, nowMs, locale.value));
  const distance = formatLength(count === 0 ? 0 : (result?.preflight?.distance_m ?? 0), locale.value);
  return missions.startButton(count, distance);
}
