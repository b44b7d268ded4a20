import './bridges-page.css';
import type { Bridge, ShownBridgedDevice } from '@granary/contract/bridges';
import { useEffect, useRef } from 'preact/hooks';
import { callOptions, useConsole, useScope } from '../context/console.ts';
import { DeviceName } from '../kit/device-name.tsx';
import { ConfirmButton, DialogButton } from '../kit/dialog.tsx';
import { EmptyState } from '../kit/empty-state.tsx';
import { formatNumber } from '../kit/format.ts';
import { Age, LastKnown } from '../kit/measured.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { column, Table } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useLoaded } from '../kit/use-loaded.ts';
import { locale, texts } from '../texts.ts';
import { AddDevice } from './add-bridged-device.tsx';
import { failureWords, TestDialog } from './test-dialog.tsx';

/** The bridges are read again at this interval, because a bridge reports without an event. */
const EVERY_MS = 5_000;

/** Shows the processes that attach devices which were not made for this service, and how those devices answer. */
export function BridgesPage() {
  const { client } = useConsole();
  const { bridges, shell } = texts.value;
  const list = useLoaded((signal) => client.bridges.list({ signal }), [client]);
  useRepeated(list.reload);
  if (list.value === undefined) {
    return list.failure === null ? <Notice>{shell.loading}</Notice> : <Failure of={list.failure} />;
  }
  return (
    <>
      <Failure of={list.failure} />
      {list.value.length === 0 && (
        <EmptyState drawing="farm" title={bridges.none} text={bridges.noneNext}>
          <a class="button" href="/docs">
            {bridges.howTo}
          </a>
        </EmptyState>
      )}
      {list.value.map((bridge) => (
        <BridgePanel key={bridge.bridge_id} bridge={bridge} reload={list.reload} />
      ))}
    </>
  );
}

/** Calls the function at an interval while the view is shown. */
function useRepeated(reload: () => void): void {
  const newest = useRef(reload);
  newest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) newest.current();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
}

function BridgePanel({ bridge, reload }: { readonly bridge: Bridge; readonly reload: () => void }) {
  const console = useConsole();
  const { client } = console;
  const { bridges } = texts.value;
  const { bridge_id: bridgeId, status, reported_at, version, site } = bridge;
  const detail = useLoaded((signal) => client.bridges.get(bridgeId, { signal }), [bridgeId, reported_at]);
  const mayConfigure = useScope('configure');
  const mayRegister = useScope('admin');
  return (
    <section class="panel bridge" aria-label={bridges.named({ id: bridgeId })}>
      <header>
        <div>
          <h2 class="free-text">{bridgeId}</h2>
          <p class="muted">
            <LastKnown>
              {status === 'away' ? (
                <SeverityMark severity="warning" text={bridges.statuses.away} />
              ) : (
                bridges.statuses.connected
              )}{' '}
              <Age since={reported_at} /> · {bridges.version({ version })}
            </LastKnown>
          </p>
        </div>
        <div class="buttons">
          {status === 'away' && mayConfigure && (
            <ConfirmButton
              text={bridges.forget}
              label={bridges.forgetOf({ id: bridgeId })}
              means={bridges.forgetMeans}
              onConfirm={async () => {
                await client.bridges.remove(bridgeId, callOptions(console));
                reload();
              }}
            />
          )}
          {mayConfigure && mayRegister && (
            <DialogButton kind="primary" text={bridges.addDevice}>
              {(close) => <AddDevice bridgeId={bridgeId} onDone={detail.reload} onClose={close} />}
            </DialogButton>
          )}
        </div>
      </header>
      <BridgeFacts bridge={bridge} />
      {site !== null && site.faults.length > 0 && (
        <div class="bridge-faults" role="status">
          <SeverityMark severity="warning" text={bridges.siteFaults} />
          <ul>
            {site.faults.map(({ line, message }) => (
              <li key={`${line} ${message}`} class="free-text">
                {line === null ? message : bridges.line({ line, message })}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Failure of={detail.failure} />
      {detail.value !== undefined && detail.value.devices.length === 0 && (
        <p class="muted">{bridges.noDevices}</p>
      )}
      {detail.value !== undefined && detail.value.devices.length > 0 && (
        <Table
          label={bridges.devicesOf({ id: bridgeId })}
          columns={deviceColumns(bridgeId, mayConfigure, detail.reload)}
          rows={detail.value.devices}
          idOf={({ device_id }) => device_id}
          orderName={`order-${bridgeId}`}
        />
      )}
    </section>
  );
}

/** Shows how many devices answer, and how many readings wait in the journal. */
function BridgeFacts({ bridge: { devices, journal } }: { readonly bridge: Bridge }) {
  const { bridges } = texts.value;
  const count = (value: number): string => formatNumber(value, 0, locale.value);
  const facts = [
    [bridges.states.answering, count(devices.answering)],
    [bridges.states.silent, count(devices.silent)],
    [bridges.states.waiting, count(devices.waiting)],
    ...(journal === null ? [] : [[bridges.journal, bridges.readings({ count: journal.readings })] as const]),
  ] as const;
  return (
    <>
      <dl class="bridge-facts">
        {facts.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <LastKnown>{value}</LastKnown>
            </dd>
          </div>
        ))}
        {journal !== null && journal.oldest_at !== null && journal.readings > 0 && (
          <div>
            <dt>{bridges.oldest}</dt>
            <dd>
              <Age since={journal.oldest_at} />
            </dd>
          </div>
        )}
        {journal !== null && journal.dropped > 0 && (
          <div>
            <dt>{bridges.dropped}</dt>
            <dd>{bridges.readings({ count: journal.dropped })}</dd>
          </div>
        )}
      </dl>
      {journal !== null && journal.fault !== null && (
        <p class="refusal free-text">{bridges.journalFault({ detail: journal.fault })}</p>
      )}
    </>
  );
}

function deviceColumns(
  bridgeId: string,
  mayConfigure: boolean,
  reload: () => void,
): readonly Column<ShownBridgedDevice>[] {
  const { bridges } = texts.value;
  return [
    column(
      'device',
      bridges.device,
      { kind: 'title', sortBy: ({ device_id }) => device_id },
      ({ device_id }) => <DeviceName deviceId={device_id} />,
    ),
    column('model', bridges.model, { sortBy: ({ mapping }) => mapping }, ({ mapping, endpoint, unit }) => (
      <>
        <span class="free-text">{mapping}</span>
        {endpoint !== null && (
          <span class="bridge-place">{unit === null ? endpoint : bridges.place({ endpoint, unit })}</span>
        )}
      </>
    )),
    column('state', bridges.state, { sortBy: ({ state }) => state }, ({ state, last_answer_at }) => (
      <LastKnown>
        {state === 'silent' ? (
          <SeverityMark severity="warning" text={bridges.states.silent} />
        ) : (
          bridges.states[state]
        )}{' '}
        {last_answer_at !== null && (
          <span class="muted">
            <Age since={last_answer_at} />
          </span>
        )}
      </LastKnown>
    )),
    column(
      'roundTrip',
      bridges.roundTrip,
      { kind: 'number', sortBy: ({ round_trip_ms }) => round_trip_ms },
      ({ round_trip_ms }) =>
        round_trip_ms === null ? '–' : `${formatNumber(round_trip_ms, 0, locale.value)} ms`,
    ),
    column('failure', bridges.lastFailure, { kind: 'wide' }, (device) => <LastFailure device={device} />),
    column('waiting', bridges.journal, { kind: 'number', sortBy: ({ waiting }) => waiting }, ({ waiting }) =>
      formatNumber(waiting, 0, locale.value),
    ),
    column(
      'actions',
      bridges.test,
      { kind: 'actions' },
      ({ device_id }) =>
        mayConfigure && (
          <div class="buttons">
            <DialogButton kind="quiet" text={bridges.test} label={bridges.testOf({ id: device_id })}>
              {(close) => <TestDialog bridgeId={bridgeId} deviceId={device_id} onClose={close} />}
            </DialogButton>
            <DetachButton bridgeId={bridgeId} deviceId={device_id} onDone={reload} />
          </div>
        ),
    ),
  ];
}

/** Shows the last failure in words, and whether the device is asked less often because of it. */
function LastFailure({ device: { last_failure, breaker } }: { readonly device: ShownBridgedDevice }) {
  const { bridges } = texts.value;
  const { nowMs } = useConsole().live.site.clock;
  if (last_failure === null) return null;
  const waitMs = breaker.next_try_at === null ? 0 : Date.parse(breaker.next_try_at) - nowMs.value;
  return (
    <>
      <span class="free-text" title={last_failure.detail ?? undefined}>
        {failureWords(last_failure)}
      </span>{' '}
      <span class="muted">
        <Age since={last_failure.at} />
      </span>
      {breaker.open && (
        <span class="bridge-place">
          {bridges.paused({ failures: breaker.failures, seconds: Math.max(0, Math.ceil(waitMs / 1_000)) })}
        </span>
      )}
    </>
  );
}

interface DetachProps {
  readonly bridgeId: string;
  readonly deviceId: string;
  readonly onDone: () => void;
}

function DetachButton({ bridgeId, deviceId, onDone }: DetachProps) {
  const console = useConsole();
  const { bridges } = texts.value;
  return (
    <ConfirmButton
      text={bridges.detach}
      label={bridges.detachOf({ id: deviceId })}
      means={bridges.detachMeans}
      onConfirm={async () => {
        await console.client.bridges.removeDevice(bridgeId, deviceId, callOptions(console));
        onDone();
      }}
    />
  );
}
