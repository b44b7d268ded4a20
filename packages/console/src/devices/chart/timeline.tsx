import { aboutAddress } from '@granary/contract/page-addresses';
import type { ComponentChildren } from 'preact';
import { useConsole, useScope } from '../../context/console.ts';
import { addressOf } from '../../context/routes.ts';
import { Time } from '../../kit/measured.tsx';
import { actionText, messageText, statusText, timeText } from '../../kit/sentences.ts';
import { SeverityMark } from '../../kit/severity-mark.tsx';
import { nameOf, operationTitle, refillTitle } from '../../operations/jobs.ts';
import { AddNote, RemoveNote } from '../../shifts/notes.tsx';
import { texts } from '../../texts.ts';
import type { ChartMarks } from './chart-data.ts';
import { type Happening, happeningsOf, worstOf } from './happenings.ts';

/** Further entries are on the pages of the operations and of the alerts. */
const SHOWN_MAX = 12;

interface Props {
  readonly deviceId: string;
  readonly marks: ChartMarks;
  readonly reload: () => void;
}

/** Shows the events of the time range of the chart, the newest first. */
export function Timeline({ deviceId, marks, reload }: Props) {
  const { nowMs } = useConsole().live.site.clock;
  const { devices } = texts.value;
  const canWrite = useScope('operate');
  const happenings = happeningsOf(marks);
  if (happenings.length === 0 && !canWrite) return null;
  return (
    <section class="device-timeline" aria-label={devices.timeline}>
      <header>
        <h2>{devices.timeline}</h2>
        <AddNote place={{ device_id: deviceId }} onDone={reload} />
      </header>
      <ol>
        {happenings.slice(0, SHOWN_MAX).map((happening) => {
          const { id, sign, what, address, details } = lineOf(happening, deviceId, nowMs.peek());
          const detail = details.filter(Boolean).join(' · ');
          return (
            <li key={id}>
              <Time at={happening.at} />
              {sign}
              <p>
                {address === null ? (
                  <span class="free-text device-timeline-text">{what}</span>
                ) : (
                  <a class="free-text" href={address}>
                    {what}
                  </a>
                )}
                {detail !== '' && <span class="muted free-text"> · {detail}</span>}
              </p>
              {happening.kind === 'note' && <RemoveNote note={happening.note} onDone={reload} />}
            </li>
          );
        })}
      </ol>
      {happenings.length > SHOWN_MAX && (
        <p class="muted">{devices.earlierToo({ count: happenings.length - SHOWN_MAX })}</p>
      )}
    </section>
  );
}

interface Line {
  readonly id: string;
  readonly sign: ComponentChildren;
  readonly what: string;
  readonly address: string | null;
  readonly details: readonly (string | null)[];
}

function lineOf(happening: Happening, deviceId: string, nowMs: number): Line {
  const { devices, foresight } = texts.value;
  switch (happening.kind) {
    case 'operation': {
      const { operation, alerts } = happening;
      const worst = worstOf(alerts);
      return {
        id: operation.operation_id,
        sign:
          worst === null ? (
            <span class="device-timeline-bar" />
          ) : (
            <SeverityMark severity={worst.severity} text="" isOutlined={worst.isResolved} />
          ),
        what: operationTitle({ ...operation, device_id: deviceId }),
        address: addressOf('devices', deviceId, { tab: 'operations', operation: operation.operation_id }),
        // The status already says that the operation failed.
        details: [
          nameOf(operation.requested_by),
          statusText(operation),
          ...alerts.filter(({ type }) => type === 'mass_imbalance').map(messageText),
        ],
      };
    }
    case 'alert': {
      const [newest, ...earlier] = happening.alerts;
      const oldest = earlier.at(-1);
      return {
        id: newest.alert_id,
        sign: <SeverityMark severity={newest.severity} text="" isOutlined={newest.status === 'resolved'} />,
        what: messageText(newest),
        address:
          newest.about === undefined
            ? addressOf('alerts', null, { device: deviceId })
            : aboutAddress(deviceId, newest.about),
        details: [
          oldest === undefined
            ? null
            : devices.timesSince({
                count: happening.alerts.length,
                since: timeText(oldest.created_at, nowMs),
              }),
          newest.acknowledged_by,
        ],
      };
    }
    case 'note':
      return {
        id: happening.note.note_id,
        sign: <span class="device-timeline-note" />,
        what: happening.note.text,
        address: null,
        details: [nameOf(happening.note.created_by)],
      };
    case 'refill':
      return {
        id: happening.refill.refill_id,
        sign: <span class="device-timeline-bar" />,
        what: refillTitle(happening.refill),
        address: addressOf('devices', deviceId, { tab: 'forecast' }),
        details: [foresight.seenInWeight],
      };
    case 'change':
      return {
        id: happening.changes[0].audit_id,
        sign: <span class="device-timeline-change" />,
        what: [...new Set(happening.changes.map(({ action }) => actionText(action)))].join(', '),
        address: addressOf('administration', 'audit', { device: deviceId }),
        details: [nameOf(happening.changes[0].actor)],
      };
  }
}
