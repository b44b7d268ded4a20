import { useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { formatQuantity } from '../kit/format.ts';
import { statusText, timeText } from '../kit/sentences.ts';
import type { Place } from '../live/movements.ts';
import { amountText } from '../operations/jobs.ts';
import { locale, texts } from '../texts.ts';

/** Announces ends for people who do not see the strip. The element is there before, because only a change of it is read out. */
export function EndAnnouncement({ places }: { readonly places: readonly Place[] }) {
  const { devices, clock } = useConsole().live.site;
  const newest = places
    .filter(({ state }) => state === 'ended')
    .toSorted((one, other) => (other.endShownMs ?? 0) - (one.endShownMs ?? 0))[0];
  return (
    <p class="only-for-readers" role="status">
      {newest !== undefined &&
        `${devices.nameOf(newest.job.device_id)}: ${endWords(newest, clock.nowMs.peek()).join(' · ')}`}
    </p>
  );
}

/** Shows the end of a movement that is not in the row, above the row, so that nothing in it changes its place. */
export function HiddenEnd({ place }: { readonly place: Place }) {
  const { site } = useConsole().live;
  return (
    <p class="movement-hidden-end">
      <strong class="free-text">{site.devices.nameOf(place.job.device_id)}</strong>{' '}
      <span class="free-text">{endWords(place, site.clock.nowMs.peek()).join(' · ')}</span>{' '}
      <a href={detailsAddress(place)}>{texts.value.shell.movements.details}</a>
    </p>
  );
}

export const detailsAddress = ({ kind, id, job }: Place): string =>
  kind === 'mission'
    ? addressOf('map', null, { device: job.device_id, mode: 'missions', mission: id })
    : addressOf('devices', job.device_id, { tab: 'operations', operation: id });

/** Says how the movement ended, and who reported it. */
export function endWords({ kind, job }: Place, nowMs: number): string[] {
  const { operations, missions, shell } = texts.value;
  const at = timeText(job.ended_at ?? nowMs, nowMs);
  if (kind === 'mission') {
    const sign = job.status === 'completed' ? '✓ ' : '';
    return [`${sign}${missions.statuses[job.status]}`, statusText(job), at];
  }
  const { status, status_code: code, amount_completed: moved, unit, device_id } = job;
  const isReported = code === 'operation_stopped' || code === 'operation_completed';
  if (!isReported || moved === null) return [operations.statuses[status], statusText(job), at];
  const amount = formatQuantity(moved, unit, locale.value, device_id, unit === 't' ? 3 : 1);
  const target = amountText(job);
  return [
    `✓ ${
      code === 'operation_completed'
        ? shell.movements.completed({ moved: amount })
        : shell.movements.stopped({
            moved: target === '' ? amount : texts.value.jobs.amountOf({ moved: amount, target }),
          })
    }`,
    code === 'operation_completed'
      ? shell.movements.reported({ time: at })
      : shell.movements.confirmed({ time: at }),
  ];
}
