import './movement-strip.css';
import type { FleetMission, FleetOperation } from '@granary/contract/fleet';
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { giveEmergencyStop, useEmergencyStop } from '../commands/emergency-stop.tsx';
import { useConsole, useScope } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { Button } from '../kit/button.tsx';
import { DeviceName } from '../kit/device-name.tsx';
import { LastKnown } from '../kit/measured.tsx';
import { statusText } from '../kit/sentences.ts';
import { set } from '../kit/set.ts';
import { useHeight } from '../kit/use-height.ts';
import { type Place, rowAfter } from '../live/movements.ts';
import { operationTitle } from '../operations/jobs.ts';
import { OperationProgress, stopOperation, useTimeLeft } from '../operations/operation-progress.tsx';
import { StopPress, StopProgress } from '../operations/stop-button.tsx';
import { texts } from '../texts.ts';
import { detailsAddress, EndAnnouncement, endWords, HiddenEnd } from './movement-end.tsx';

/** The least width of a card with its gap, and the width of the count. */
const CARD_PX = 352;
const COUNT_PX = 224;
/** Up to this width there is one card, with the number above it. */
const PHONE_PX = 700;

/** Shows at the foot of every view and in every dialog what moves: how far, how much longer, and its stop. */
export function MovementStrip() {
  const { live } = useConsole();
  const places = live.movements.places.value;
  return (
    <>
      <EndAnnouncement places={places} />
      {places.length > 0 && <Strip places={places} />}
    </>
  );
}

interface PlacesProps {
  readonly places: readonly Place[];
}

function Strip({ places }: PlacesProps) {
  const { live } = useConsole();
  const element = useRef<HTMLElement>(null);
  const foot = useRef<HTMLDivElement>(null);
  useHeight(foot, '--movement-height');
  const isOpen = useSignal(false);
  const listId = useId();
  const { row, length } = useRow(foot, places, isOpen.value);
  useEffect(
    () =>
      live.movements.holdWhile(() => {
        const { current } = element;
        if (current === null) return false;
        // A finger leaves an element in the hovered state, and the pressed button keeps the focus.
        const isPointedAt = matchMedia('(hover: hover)').matches && current.matches(':hover');
        return isOpen.peek() || isPointedAt || current.querySelector(':focus-visible') !== null;
      }),
    [live],
  );
  const { movements } = texts.value.shell;
  const moving = places.filter(({ state }) => state !== 'ended');
  const hidden = places.filter(({ id }) => !row.includes(id));
  const hiddenMoving = hidden.filter(({ state }) => state !== 'ended').length;
  const hiddenEnd = hidden.findLast(({ state }) => state === 'ended');
  const count = [
    movements.count({ count: moving.length }),
    ...(hiddenMoving === 0 ? [] : [movements.more({ count: hiddenMoving })]),
  ].join(' · ');
  const close = (): void => set(isOpen, false);
  return (
    <section
      ref={element}
      class={`movement-strip ${isOpen.value ? 'open' : ''}`}
      aria-label={texts.value.shell.movement}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen.peek()) return;
        event.preventDefault();
        close();
        foot.current?.querySelector<HTMLElement>('.movement-count .button')?.focus();
      }}
    >
      {isOpen.value && (
        <MovementList
          id={listId}
          title={movements.count({ count: moving.length })}
          places={places}
          onClose={close}
        />
      )}
      {hiddenEnd !== undefined && !isOpen.value && <HiddenEnd place={hiddenEnd} />}
      <div ref={foot} class="movement-foot">
        <ul style={{ '--movement-columns': length }}>
          {row.map((id, index) => {
            const place = places.find((candidate) => candidate.id === id);
            return place === undefined ? (
              <li key={index} class="movement-gap" />
            ) : (
              <Card key={id} place={place} />
            );
          })}
        </ul>
        {(moving.length > 1 || hiddenMoving > 0 || isOpen.value) && (
          <p class="movement-count">
            <button
              type="button"
              class="button"
              aria-expanded={isOpen.value}
              aria-controls={isOpen.value ? listId : undefined}
              onClick={() => set(isOpen, !isOpen.peek())}
            >
              {count} <span aria-hidden="true">{isOpen.value ? '▾' : '▴'}</span>
            </button>
            <span class="movement-count-text">{count}</span>
          </p>
        )}
      </div>
    </section>
  );
}

interface MovementListProps extends PlacesProps {
  readonly id: string;
  readonly title: string;
  readonly onClose: () => void;
}

/** All movements, also those that have no room in the row. */
const MovementList = ({ id, title, places, onClose }: MovementListProps) => (
  <div id={id} class="movement-list">
    <header>
      <h2>{title}</h2>
      <Button kind="quiet" label={texts.value.common.close} onPress={onClose}>
        ✕
      </Button>
      <StopAll places={places} />
    </header>
    <ul>
      {places.map((place) => (
        <Card key={place.id} place={place} />
      ))}
    </ul>
  </div>
);

/** The places that are shown in the row. They are chosen again only when nobody can be about to press one of them. */
function useRow(
  foot: RefObject<HTMLElement | null>,
  places: readonly Place[],
  isListOpen: boolean,
): { readonly row: readonly (string | null)[]; readonly length: number } {
  const widthPx = useSignal(innerWidth);
  const shown = useRef<readonly (string | null)[]>([]);
  const length =
    widthPx.value <= PHONE_PX ? 1 : Math.max(1, Math.floor((widthPx.value - COUNT_PX) / CARD_PX));
  const lengthShown = useRef(length);
  const wasListOpen = useRef(isListOpen);
  useLayoutEffect(() => {
    const { current } = foot;
    if (current === null) return;
    const observer = new ResizeObserver(() => set(widthPx, current.offsetWidth));
    observer.observe(current);
    const onHidden = (): void => {
      if (document.hidden) shown.current = [];
    };
    document.addEventListener('visibilitychange', onHidden);
    return () => {
      observer.disconnect();
      document.removeEventListener('visibilitychange', onHidden);
    };
  }, []);
  if (lengthShown.current !== length || (wasListOpen.current && !isListOpen)) shown.current = [];
  lengthShown.current = length;
  wasListOpen.current = isListOpen;
  shown.current = rowAfter(shown.current, places, length);
  return { row: shown.current, length };
}

interface PlaceProps {
  readonly place: Place;
}

/** Shows one movement under way, or how it has ended. Its size never changes, so that nothing beside it moves. */
function Card({ place }: PlaceProps) {
  const { kind, job } = place;
  const isEnded = place.state === 'ended';
  return (
    <li class={`movement ${isEnded ? 'ended' : ''}`}>
      <div>
        <p class="what">
          <DeviceName
            deviceId={job.device_id}
            href={
              kind === 'mission'
                ? addressOf('map', null, { device: job.device_id })
                : addressOf('devices', job.device_id)
            }
          />
        </p>
        {isEnded ? <End place={place} /> : <UnderWay place={place} />}
      </div>
      <CardStop place={place} />
    </li>
  );
}

function UnderWay({ place }: PlaceProps) {
  const { kind, job } = place;
  const { missions, shell } = texts.value;
  return (
    <>
      <p class="title free-text">{kind === 'mission' ? job.mission_name : operationTitle(job)}</p>
      {kind === 'mission' ? (
        <progress max={job.waypoints.length} value={reachedOf(job)} aria-label={missions.progress}>
          {missions.waypointsReached({ reached: reachedOf(job), all: job.waypoints.length })}
        </progress>
      ) : (
        <OperationProgress operation={job} />
      )}
      <div class="detail">
        <CardProgress place={place} />
        <p>
          {place.state === 'vanished' ? (
            shell.movements.vanished
          ) : (
            <LastKnown>
              {kind === 'mission' ? (
                <span class="free-text">{statusText(job)}</span>
              ) : (
                <Left operation={job} />
              )}
            </LastKnown>
          )}
        </p>
      </div>
    </>
  );
}

const reachedOf = ({ waypoints }: FleetMission): number =>
  waypoints.filter(({ status }) => status === 'reached').length;

function Left({ operation }: { readonly operation: FleetOperation }) {
  const timeLeft = useTimeLeft(operation);
  const { progress } = operation;
  return (
    <>
      {progress === null ? '' : `${Math.round(progress)} % · `}
      {timeLeft ?? statusText(operation)}
    </>
  );
}

/** The state of the stop stands before all other texts of a card. */
function CardProgress({ place: { kind, id, job } }: PlaceProps) {
  const { isRequested } = useEmergencyStop(job.device_id);
  return kind === 'mission' ? (
    <StopProgress of={job.device_id} isRequested={isRequested} />
  ) : (
    <StopProgress of={id} isRequested={job.status === 'stopping'} />
  );
}

function End({ place }: PlaceProps) {
  const { site } = useConsole().live;
  const [title, ...details] = endWords(place, site.clock.nowMs.peek());
  return (
    <>
      <p class="title">
        <strong>{title}</strong>
      </p>
      <div class="detail">
        {place.kind === 'mission' && <CardProgress place={place} />}
        <p>
          <span class="free-text">{details.join(' · ')}</span>{' '}
          <a href={detailsAddress(place)}>{texts.value.shell.movements.details}</a>
        </p>
      </div>
    </>
  );
}

/** The stop of a card, which stays in its place without an effect when the movement has ended. */
function CardStop({ place }: PlaceProps) {
  const console = useConsole();
  const { kind, id, job, state } = place;
  const { isRequested, isConfirmed } = useEmergencyStop(job.device_id);
  const { operations, missions, common, shell } = texts.value;
  if (!useScope('stop')) return null;
  const name = console.live.site.devices.nameOf(job.device_id);
  const isOver = state === 'ended' && !(kind === 'mission' && isRequested);
  const over = shell.movements.over;
  return (
    <span class="stop">
      {kind === 'mission' ? (
        <StopPress
          of={job.device_id}
          stop={() => giveEmergencyStop(console, job.device_id)}
          isConfirmed={isConfirmed}
          isOver={isOver}
          label={isOver ? over : missions.emergencyStopOf({ name })}
          text={isOver ? over : common.emergencyStop}
        />
      ) : (
        <StopPress
          of={id}
          stop={() => stopOperation(console, job)}
          isOver={isOver}
          label={isOver ? over : operations.stopOf({ name })}
          text={isOver ? over : common.stop}
        />
      )}
    </span>
  );
}

/** Stops everything that moves at a facility with one press; each line shows the state of its own stop. */
function StopAll({ places }: PlacesProps) {
  const console = useConsole();
  const { devices } = console.live.site;
  if (!useScope('stop') || places.length < 2) return null;
  const byFacility = Map.groupBy(
    places,
    ({ job: { device_id } }) => devices.described(device_id)?.location.facility ?? device_id,
  );
  const press = (ofFacility: readonly Place[]): void => {
    for (const { kind, id, job, state } of ofFacility) {
      if (state === 'ended') continue;
      if (kind === 'mission') {
        void console.stops.press(job.device_id, () => giveEmergencyStop(console, job.device_id));
      } else void console.stops.press(id, () => stopOperation(console, job));
    }
  };
  return (
    <div class="movement-stop-all">
      {[...byFacility].map(([facility, ofFacility]) => (
        <Button
          key={facility}
          kind="stop"
          isOver={ofFacility.every(({ state }) => state === 'ended')}
          onPress={() => press(ofFacility)}
        >
          {texts.value.shell.movements.stopAllOf({ facility })}
        </Button>
      ))}
    </div>
  );
}
