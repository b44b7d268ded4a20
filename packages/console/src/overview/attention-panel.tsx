import './attention-panel.css';
import type { AlertSeverity } from '@granary/contract/alerts';
import { DEVICE_STATUSES } from '@granary/contract/devices/statuses';
import type { AttentionItem, AttentionReason, FleetAlert } from '@granary/contract/fleet';
import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { AcknowledgeButton } from '../alerts/acknowledge-button.tsx';
import type { Flood } from '../alerts/alerts.ts';
import { useConsole, useIsLost } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { Button } from '../kit/button.tsx';
import { formatNumber } from '../kit/format.ts';
import { Age, LastKnown } from '../kit/measured.tsx';
import { messageText } from '../kit/sentences.ts';
import { set } from '../kit/set.ts';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { useEventReload, useLoaded } from '../kit/use-loaded.ts';
import { locale, texts } from '../texts.ts';
import { attentionOf } from './attention.ts';

/** Events often come in groups, and one read serves them all. */
const GATHER_MS = 250;
/** On a phone only these items are shown until the person asks for the others. */
const FIRST_ITEMS = 2;
/** The list is read again at this interval, because some reasons arise by time alone. */
const AGAIN_MS = 15_000;
/** The largest number of alerts that the service returns at once. */
const SHELVED_MAX = 1_000;

/** Shows what needs a person now, the most urgent first. */
export function AttentionPanel() {
  const { client, live } = useConsole();
  const { overview } = texts.value;
  const { value, reload } = useLoaded((signal) => client.fleet.overview({ signal }), [client]);
  useEffect(() => {
    let gathering: ReturnType<typeof setTimeout> | undefined;
    const stopListening = live.onEvent(() => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        reload();
      }, GATHER_MS);
    });
    const timer = setInterval(reload, AGAIN_MS);
    return () => {
      stopListening();
      clearInterval(timer);
      clearTimeout(gathering);
    };
  }, [live]);
  const alerts = live.site.alerts.all.value;
  const { floods, lines, others } = useMemo(
    () => attentionOf([...alerts.values()], value?.attention ?? []),
    [alerts, value],
  );
  const isWhole = useSignal(false);
  const isLost = useIsLost();
  useEffect(() => {
    if (!isLost) reload();
  }, [isLost]);
  return (
    <aside class="overview-attention" aria-label={overview.attention}>
      <SiteCounts />
      <section>
        <h2 class="overview-attention-title">{overview.attention}</h2>
        {isLost && (
          <p class="overview-attention-unknown" role="status">
            {lines.length + floods.length === 0 ? overview.attentionUnknown : overview.attentionLastKnown}
          </p>
        )}
        {!isLost && value !== undefined && lines.length + floods.length === 0 && (
          <p class="muted">{overview.nothingNeedsAttention}</p>
        )}
        <Floods floods={floods} />
        <ul class={isWhole.value ? '' : 'overview-first-items'}>
          {lines.map((line) =>
            line.kind === 'alert' ? (
              <AlertItem key={line.alert.alert_id} alert={line.alert} />
            ) : (
              <JobItem key={`${line.item.what} ${line.item.id ?? line.item.device_id}`} item={line.item} />
            ),
          )}
        </ul>
        {lines.length > FIRST_ITEMS && !isWhole.value && (
          <p class="overview-more-items">
            <Button onPress={() => set(isWhole, true)}>{overview.showAll({ count: lines.length })}</Button>
          </p>
        )}
        {others > 0 && (
          <p class="overview-shelved">
            <a href={addressOf('alerts', null, { list: 'unacknowledged' })}>
              <LastKnown>{texts.value.common.andOthers({ count: others })}</LastKnown>
            </a>
          </p>
        )}
        {value !== undefined && <ShelvedCount />}
      </section>
    </aside>
  );
}

/** Shows the number of shelved alerts, which are in no other list here. */
function ShelvedCount() {
  const { client } = useConsole();
  const { value, reload } = useLoaded(
    (signal) => client.fleet.alerts({ status: 'shelved', limit: SHELVED_MAX }, { signal }),
    [client],
  );
  useEventReload(['alert.'], reload);
  if (value === undefined || value.data.length === 0) return null;
  const count = texts.value.overview.shelved({ count: value.data.length });
  return (
    <p class="overview-shelved">
      <a href={addressOf('alerts', null, { list: 'shelved' })}>
        <LastKnown>
          {value.page.next_cursor === null ? count : texts.value.common.orMore({ text: count })}
        </LastKnown>
      </a>
    </p>
  );
}

/** Shows one line for each flood, instead of hundreds of alerts. */
function Floods({ floods }: { readonly floods: readonly Flood[] }) {
  const { site } = useConsole().live;
  const { overview, alarmHelp } = texts.value;
  if (floods.length === 0) return null;
  return (
    <ul>
      {floods.map(({ type, severity, deviceIds }) => {
        const places = new Set(deviceIds.map((id) => site.devices.find(id)?.peek().location.facility));
        return (
          <li key={`${type} ${severity}`} class="overview-item">
            <SeverityMark severity={severity} text="" />
            <a
              class="overview-item-name device-name"
              href={addressOf('alerts', null, { list: 'unacknowledged', type, severity })}
            >
              {alarmHelp.types[type].name}
            </a>
            <p class="overview-item-text">
              <LastKnown>{overview.flood({ devices: deviceIds.length, facilities: places.size })}</LastKnown>
            </p>
          </li>
        );
      })}
    </ul>
  );
}

/** The severity of each reason; a reason that is not an alert is shown like a corresponding alert. */
const SEVERITIES: Readonly<Record<AttentionReason, AlertSeverity>> = {
  emergency_stop_unconfirmed: 'critical',
  stop_unconfirmed: 'critical',
  critical_alert: 'critical',
  offline_with_job: 'warning',
  operation_unconfirmed: 'warning',
  emergency_stop_in_force: 'info',
  warning_alert: 'warning',
};

interface LineProps {
  readonly severity: AlertSeverity;
  readonly deviceId: string;
  readonly since: string;
  readonly text: string;
  /** The actions that are possible here. */
  readonly children?: ComponentChildren;
}

function Line({ severity, deviceId, since, text, children }: LineProps) {
  const { devices } = useConsole().live.site;
  const device = devices.described(deviceId);
  const name = device?.name ?? deviceId;
  return (
    <li class="overview-item">
      <SeverityMark severity={severity} text="" />
      <a class="overview-item-name device-name free-text" href={addressOf('devices', deviceId)} title={name}>
        {name}
      </a>
      {children}
      <p class="overview-item-text">
        {devices.hasSeveralPlaces.value && device !== undefined && (
          <span class="muted free-text">{device.location.facility} · </span>
        )}
        <LastKnown>
          <span class="free-text">{text}</span>
        </LastKnown>{' '}
        <span class="muted">
          · <Age since={since} />
        </span>
      </p>
    </li>
  );
}

const AlertItem = ({ alert }: { readonly alert: FleetAlert }) => (
  <Line
    severity={alert.severity}
    deviceId={alert.device_id}
    since={alert.created_at}
    text={messageText(alert)}
  >
    <AcknowledgeButton alert={alert} />
  </Line>
);

/** Shows a stop, an operation, or a device. */
const JobItem = ({ item }: { readonly item: AttentionItem }) => (
  <Line
    severity={SEVERITIES[item.what]}
    deviceId={item.device_id}
    since={item.since}
    text={messageText(item)}
  />
);

/** Shows the numbers of devices by their status; each number leads to those devices. */
function SiteCounts() {
  const { site } = useConsole().live;
  const counts = useComputed(() => {
    const statuses = [...site.devices.all.value.values()].map((device) => device.value.status);
    return DEVICE_STATUSES.map((status) => statuses.filter((one) => one === status).length).join();
  });
  const numbers = counts.value.split(',');
  return (
    <dl class="overview-counts">
      {DEVICE_STATUSES.map((status, index) => (
        <div key={status} class="overview-count">
          <dt class="overview-count-name">{texts.value.common.deviceStatuses[status]}</dt>
          <dd>
            <a
              class={`overview-count-number ${numbers[index] === '0' ? 'none' : ''}`}
              href={addressOf('overview', null, { status })}
            >
              <LastKnown>{formatNumber(Number(numbers[index]), 0, locale.value)}</LastKnown>
            </a>
          </dd>
        </div>
      ))}
    </dl>
  );
}
