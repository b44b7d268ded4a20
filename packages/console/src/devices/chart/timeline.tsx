import { addressOf } from '../../context/routes.ts';
import { Time } from '../../kit/measured.tsx';
import { messageText, statusText } from '../../kit/sentences.ts';
import { SeverityMark } from '../../kit/severity-mark.tsx';
import { nameOf, operationTitle } from '../../operations/jobs.ts';
import { texts } from '../../texts/texts.ts';
import type { ChartMarks } from './chart-data.ts';

/** The others are on the pages of the operations and of the alerts. */
const SHOWN_MAX = 12;

interface Props {
  readonly deviceId: string;
  readonly marks: ChartMarks;
}

/** What happened in the time that the chart shows, newest first. */
export function Timeline({ deviceId, marks: { operations, alerts } }: Props) {
  const { devices } = texts.value;
  const entries = [
    ...operations.map((operation) => ({
      id: operation.operation_id,
      at: operation.started_at,
      sign: <span class="device-timeline-bar" />,
      what: operationTitle(operation),
      address: addressOf('devices', deviceId, { tab: 'operations', operation: operation.operation_id }),
      detail: [nameOf(operation.requested_by), statusText(operation)].filter(Boolean).join(' · '),
    })),
    ...alerts.map((alert) => ({
      id: alert.alert_id,
      at: alert.created_at,
      sign: <SeverityMark severity={alert.severity} text="" isOutlined={alert.status === 'resolved'} />,
      what: messageText(alert),
      address: addressOf('alerts', null, { device: deviceId }),
      detail: alert.acknowledged_by ?? '',
    })),
  ].sort((one, other) => (one.at < other.at ? 1 : -1));
  if (entries.length === 0) return null;
  return (
    <section class="device-timeline" aria-label={devices.timeline}>
      <h2>{devices.timeline}</h2>
      <ol>
        {entries.slice(0, SHOWN_MAX).map(({ id, at, sign, what, address, detail }) => (
          <li key={id}>
            <Time at={at} />
            {sign}
            <p>
              <a class="free-text" href={address}>
                {what}
              </a>
              {detail !== '' && <span class="muted free-text"> {detail}</span>}
            </p>
          </li>
        ))}
      </ol>
      {entries.length > SHOWN_MAX && <p class="muted">{devices.earlierToo(entries.length - SHOWN_MAX)}</p>}
    </section>
  );
}
