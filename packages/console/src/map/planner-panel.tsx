import type { Mission, PreflightResult } from '@granary/contract/missions';
import type { Point } from '@granary/contract/positions';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { confirmed } from '../context/confirmed.ts';
import { useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { FactList } from '../kit/fact-list.tsx';
import { useAction } from '../kit/form-state.ts';
import { formatDuration, formatLength, formatValue } from '../kit/format.ts';
import { TextInput } from '../kit/inputs.tsx';
import { Failure, WouldRefuse } from '../kit/messages.tsx';
import { MomentInput } from '../kit/moment-input.tsx';
import { SecondPress } from '../kit/second-press.tsx';
import { timeText } from '../kit/sentences.ts';
import { set } from '../kit/set.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { locale, texts } from '../texts.ts';
import type { MapContents } from './contents.ts';
import {
  type Draft,
  EMPTY_DRAFT,
  hasStart,
  type LegFaults,
  legFaults,
  missionOf,
  startOf,
  withWaypoint,
} from './mission-draft.ts';
import { type LivePreflight, usePreflight } from './use-preflight.ts';
import { useFieldConfiguration } from './vehicle-ground.tsx';
import { WaypointRow } from './waypoint-row.tsx';

interface Props {
  readonly deviceId: string;
  readonly name: string;
  readonly draft: Signal<Draft>;
  readonly preflight: LivePreflight;
  readonly faults: LegFaults | null;
  /** The place of a waypoint that is added without pressing on the map. */
  readonly middle: () => Point;
  readonly onClose: (missionId: string | null) => void;
}

/** Shows the drawn mission as a list, in the same order as on the map, and what it would need. */
function PlannerPanel({ deviceId, name, draft, preflight, faults, middle, onClose }: Props) {
  const { missions } = texts.value;
  const { waypoints } = draft.value;
  const start = useMissionStart({ deviceId, name, draft, preflight, onClose });
  const faultOf = (index: number): string | null => {
    const fault = faults?.waypoints.get(index);
    if (fault !== undefined) return missions.waypointFaults[fault];
    return faults?.tooFar.has(index) === true ? missions.tooFar : null;
  };
  return (
    <form
      class="map-planner"
      onSubmit={(event) => {
        event.preventDefault();
        start.press();
      }}
    >
      <h2 class="free-text">{missions.planFor({ name })}</h2>
      <TextInput
        label={missions.name}
        placeholder={missions.unnamed}
        value={draft.value.name}
        onValue={(name) => set(draft, { ...draft.peek(), name })}
      />
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
        <Button onPress={() => set(draft, withWaypoint(draft.peek(), middle()))}>
          {missions.addWaypoint}
        </Button>
      </section>
      <div class="map-submit">
        {waypoints.length > 0 && <PreflightPanel {...preflight} deviceId={deviceId} />}
        <Failure of={start.failure} />
        <div class="buttons">
          <Button
            kind="primary"
            type="submit"
            isBusy={start.isRunning}
            isOver={start.question !== null}
            isChange
            isDisabled={!start.isAcceptable}
          >
            {start.buttonText}
          </Button>
          <Button onPress={() => start.close(null)}>{missions.discard}</Button>
        </div>
        {start.question !== null && (
          <SecondPress
            {...start.question}
            isBusy={start.isRunning}
            onPress={start.start}
            onLeave={start.leaveQuestion}
          />
        )}
      </div>
    </form>
  );
}

type StartProps = Pick<Props, 'deviceId' | 'name' | 'draft' | 'preflight' | 'onClose'>;

/** Starts the drawn mission: with one press, or with a second one if the preflight warns. */
function useMissionStart({ deviceId, name, draft, preflight, onClose }: StartProps) {
  const console = useConsole();
  const { missions, operations } = texts.value;
  const { again } = operations;
  const { run, isRunning, failure } = useAction();
  const { result } = preflight;
  const isAcceptable = result !== null && result.refusal === null && hasStart(draft.value);
  const hasWarnings = (result?.warnings ?? []).length > 0;
  const duration = formatDuration((result?.preflight?.duration_s ?? 0) * 1_000);
  const buttonText = submitText(draft.value, preflight, console.live.site.clock.nowMs.peek());
  const isAsked = useSignal(false);
  // A change of the drawing after the question makes it another mission.
  useEffect(() => set(isAsked, false), [draft.value]);
  const question =
    isAsked.value && isAcceptable && hasWarnings
      ? { text: again.long({ title: buttonText, duration }), reasons: [again.reasons.long({ duration })] }
      : null;
  const close = (missionId: string | null): void => {
    draft.value = EMPTY_DRAFT;
    onClose(missionId);
  };
  const start = (): void =>
    void run(async () => {
      const mission = missionOf(draft.peek(), missions.unnamed);
      const what = {
        title: `${mission.mission_name}: ${buttonText}`,
        plan: <MissionFacts preflight={preflight} name={name} mission={mission} />,
        device_id: deviceId,
        body: mission,
      };
      const created = await confirmed(console, { ...what, action: 'missions.create' }, (options) =>
        console.client.missions.create(deviceId, mission, options),
      );
      console.live.site.missions.put({ device_id: deviceId, ...created });
      close(created.mission_id);
    });
  return {
    isAcceptable,
    buttonText,
    question,
    isRunning,
    failure,
    start,
    close,
    press: () => {
      if (question !== null) return;
      if (hasWarnings) isAsked.value = true;
      else start();
    },
    leaveQuestion: () => set(isAsked, false),
  };
}

/** The text of the button, which says what will happen. */
function submitText(draft: Draft, { result }: LivePreflight, nowMs: number): string {
  const { missions } = texts.value;
  const count = draft.waypoints.length;
  const start = startOf(draft);
  if (start !== undefined) return missions.scheduleButton({ waypoints: count, time: timeText(start, nowMs) });
  const distance = formatLength(count === 0 ? 0 : (result?.preflight?.distance_m ?? 0), locale.value);
  return missions.startButton({ waypoints: count, distance });
}

/** The fields of the start: now, or at a time in the time zone of the site. */
function StartFields({ draft }: { readonly draft: Signal<Draft> }) {
  const { missions } = texts.value;
  const { startsAt } = draft.value;
  const isLater = startsAt !== null;
  const choose = (later: boolean): void => set(draft, { ...draft.peek(), startsAt: later ? '' : null });
  return (
    <fieldset class="map-start">
      <legend>{missions.start}</legend>
      {[false, true].map((later) => (
        <label key={String(later)}>
          <input
            type="radio"
            name="mission-start"
            checked={isLater === later}
            onChange={() => choose(later)}
          />
          {later ? missions.startLater : missions.startNow}
        </label>
      ))}
      {isLater && (
        <MomentInput
          label={missions.startsAt}
          isRequired
          value={startsAt}
          onValue={(time) => set(draft, { ...draft.peek(), startsAt: time })}
        />
      )}
    </fieldset>
  );
}

/** Shows what the drawn mission would need, and why it would be refused. */
function PreflightPanel({ result, failure, deviceId }: LivePreflight & { readonly deviceId: string }) {
  const { missions } = texts.value;
  return (
    <section class="map-preflight" aria-label={missions.preflight} aria-live="polite">
      <h3>{missions.preflight}</h3>
      <Failure of={failure} />
      {result === null && failure === null && <p class="muted">{missions.checking}</p>}
      {result !== null && <Numbers result={result} />}
      {result !== null && result.refusal !== null && (
        <WouldRefuse title={missions.refused} refusal={result.refusal} deviceId={deviceId} />
      )}
    </section>
  );
}

function Numbers({ result: { preflight, warnings } }: { readonly result: PreflightResult }) {
  const { missions, operations } = texts.value;
  if (preflight === null) return null;
  const percent = (value: number): string => formatValue(Math.round(value), 'percent', locale.value);
  const left = preflight.battery_available - preflight.battery_required;
  const values = [
    [missions.distance, formatLength(preflight.distance_m, locale.value)],
    [missions.duration, formatDuration(preflight.duration_s * 1_000)],
    [missions.wayBack, formatLength(preflight.return_distance_m, locale.value)],
    [
      missions.batteryNeeded,
      `${percent(preflight.battery_required)} / ${percent(preflight.battery_available)}`,
    ],
  ] as const;
  return (
    <>
      <dl class="map-values">
        {values.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">
        {missions.batteryLeft({ left: percent(left), reserve: percent(preflight.battery_reserve) })}
      </p>
      {warnings.length > 0 && (
        <SeverityMark
          severity="warning"
          text={operations.again.reasons.long({ duration: formatDuration(preflight.duration_s * 1_000) })}
        />
      )}
    </>
  );
}

interface MissionFactsProps {
  readonly preflight: LivePreflight;
  readonly name: string;
  readonly mission: Mission;
}

/** The facts by which a second person decides about a mission. */
function MissionFacts({ preflight: { result }, name, mission }: MissionFactsProps) {
  const { missions, proposals } = texts.value;
  const { waypoints, scheduled_start: start } = mission;
  return (
    <>
      <FactList
        facts={[
          { title: proposals.device, value: name },
          { title: missions.waypoints, value: String(waypoints.length) },
          {
            title: missions.start,
            value: start === undefined ? missions.startNow : timeText(start, Date.now()),
          },
        ]}
      />
      {result !== null && <Numbers result={result} />}
    </>
  );
}

interface PlanModeProps {
  readonly deviceId: string;
  readonly name: string;
  readonly contents: MapContents;
  readonly middle: () => Point;
  readonly onClose: (missionId: string | null) => void;
}

/** The planner; its result is drawn on the map. */
export function PlanMode({ deviceId, name, contents, middle, onClose }: PlanModeProps) {
  const { draft, faults, base } = contents;
  const configuration = useFieldConfiguration(deviceId).value?.configuration;
  const preflight = usePreflight(deviceId, draft.value);
  const { result } = preflight;
  useEffect(() => set(faults, result === null ? null : legFaults(result)), [result]);
  useEffect(() => {
    const place = configuration?.base ?? null;
    base.value = place === null ? null : { lat: place.latitude, lng: place.longitude };
  }, [configuration]);
  return (
    <PlannerPanel
      deviceId={deviceId}
      name={name}
      draft={draft}
      preflight={preflight}
      middle={middle}
      onClose={onClose}
      faults={result === null ? null : legFaults(result)}
    />
  );
}
