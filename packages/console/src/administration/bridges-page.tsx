import { DEFAULT_PROFILES } from '@granary/contract/profiles/groups';
import './bridges-page.css';
import type {
  Bridge,
  BridgeMapping,
  BridgeTest,
  ShownBridgedDevice,
  TestedPoint,
} from '@granary/contract/bridges';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { callOptions, useConsole, useScope } from '../context/console.ts';
import { EMPTY_DEVICE, hasCapacity, registerDevice } from '../devices/administration/device-draft.ts';
import { DeviceFields } from '../devices/administration/device-form.tsx';
import { Button } from '../kit/button.tsx';
import { DeviceName } from '../kit/device-name.tsx';
import { ConfirmButton, Dialog, DialogButton, FormDialog } from '../kit/dialog.tsx';
import { EmptyState } from '../kit/empty-state.tsx';
import { useAction } from '../kit/form-state.ts';
import { formatNumber, formatValue } from '../kit/format.ts';
import { bound, SelectInput, TextArea, TextInput } from '../kit/inputs.tsx';
import { Age, LastKnown } from '../kit/measured.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { NumberInput } from '../kit/number-input.tsx';
import { SeverityMark } from '../kit/severity-mark.tsx';
import { Table, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useLoaded } from '../kit/use-loaded.ts';
import { locale, nameOfCode, texts } from '../texts.ts';
import { EMPTY_PLACE, endpointExample, placeOf } from './bridge-draft.ts';

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

interface PanelProps {
  readonly bridge: Bridge;
  readonly reload: () => void;
}

function BridgePanel({ bridge, reload }: PanelProps) {
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
        <div class="administration-actions">
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
    {
      name: 'device',
      title: bridges.device,
      kind: 'title',
      sortBy: ({ device_id }) => device_id,
      cell: ({ device_id }) => <DeviceName deviceId={device_id} />,
    },
    {
      name: 'model',
      title: bridges.model,
      sortBy: ({ mapping }) => mapping,
      cell: ({ mapping, endpoint, unit }) => (
        <>
          <span class="free-text">{mapping}</span>
          {endpoint !== null && (
            <span class="bridge-place">{unit === null ? endpoint : bridges.place({ endpoint, unit })}</span>
          )}
        </>
      ),
    },
    {
      name: 'state',
      title: bridges.state,
      sortBy: ({ state }) => state,
      cell: ({ state, last_answer_at }) => (
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
      ),
    },
    {
      name: 'roundTrip',
      title: bridges.roundTrip,
      kind: 'number',
      sortBy: ({ round_trip_ms }) => round_trip_ms,
      cell: ({ round_trip_ms }) =>
        round_trip_ms === null ? '–' : `${formatNumber(round_trip_ms, 0, locale.value)} ms`,
    },
    {
      name: 'failure',
      title: bridges.lastFailure,
      kind: 'wide',
      cell: (device) => <LastFailure device={device} />,
    },
    {
      name: 'waiting',
      title: bridges.journal,
      kind: 'number',
      sortBy: ({ waiting }) => waiting,
      cell: ({ waiting }) => formatNumber(waiting, 0, locale.value),
    },
    {
      name: 'actions',
      title: bridges.test,
      kind: 'actions',
      cell: ({ device_id }) =>
        mayConfigure && (
          <div class="administration-actions">
            <DialogButton kind="quiet" text={bridges.test} label={bridges.testOf({ id: device_id })}>
              {(close) => <TestDialog bridgeId={bridgeId} deviceId={device_id} onClose={close} />}
            </DialogButton>
            <DetachButton bridgeId={bridgeId} deviceId={device_id} onDone={reload} />
          </div>
        ),
    },
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

/** The words for a failure. A driver that is newer than this page may have a code that the page does not know; then its own words are shown. */
function failureWords({ code, detail }: { readonly code: string; readonly detail: string | null }): string {
  const words: Readonly<Record<string, string>> = texts.value.bridges.failures;
  return words[code] ?? detail ?? code;
}

function DetachButton({
  bridgeId,
  deviceId,
  onDone,
}: {
  readonly bridgeId: string;
  readonly deviceId: string;
  readonly onDone: () => void;
}) {
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

interface TestDialogProps {
  readonly bridgeId: string;
  readonly deviceId: string;
  readonly onClose: () => void;
}

/** Reads a device now, and shows every point as it was received and as it is understood. */
function TestDialog({ bridgeId, deviceId, onClose }: TestDialogProps) {
  const console = useConsole();
  const { bridges, common } = texts.value;
  const result = useLoaded(
    (signal) => console.client.bridges.test(bridgeId, { device_id: deviceId }, { signal, timeLimitMs: 0 }),
    [bridgeId, deviceId],
  );
  return (
    <Dialog title={bridges.testOf({ id: deviceId })} onClose={onClose}>
      {result.isLoading && <p role="status">{bridges.testing}</p>}
      <Failure of={result.failure} />
      {result.value !== undefined && <TestResult result={result.value} />}
      <div class="dialog-actions">
        <Button onPress={onClose}>{common.close}</Button>
        <Button kind="primary" isBusy={result.isLoading} onPress={result.reload}>
          {bridges.again}
        </Button>
      </div>
    </Dialog>
  );
}

function TestResult({ result: { failure, round_trip_ms, points } }: { readonly result: BridgeTest }) {
  const { bridges } = texts.value;
  if (failure !== null) {
    return (
      <div class="would-refuse" role="alert">
        <SeverityMark severity="warning" text={bridges.notRead} />
        <p>{failureWords(failure)}</p>
        {failure.detail !== '' && <p class="muted free-text">{failure.detail}</p>}
      </div>
    );
  }
  return (
    <div class="bridge-test" role="status">
      <p>
        {bridges.answered({
          milliseconds: round_trip_ms === null ? null : formatNumber(round_trip_ms, 0, locale.value),
        })}
      </p>
      <Table
        label={bridges.points}
        columns={pointColumns()}
        rows={points}
        idOf={({ point }) => point}
        orderName="points"
      />
    </div>
  );
}

function pointColumns(): readonly Column<TestedPoint>[] {
  const { bridges, common } = texts.value;
  const reasons: Readonly<Record<string, string>> = bridges.reasons;
  return [
    titleColumn('point', bridges.point, ({ point }) => point),
    {
      name: 'value',
      title: bridges.value,
      kind: 'number',
      cell: ({ value, unit, quality }) => {
        const text = value === null ? '–' : formatValue(value, unit, locale.value);
        return quality === 'good' ? <strong>{text}</strong> : <s>{text}</s>;
      },
    },
    { name: 'raw', title: bridges.raw, cell: ({ raw }) => <span class="bridge-raw">{raw}</span> },
    {
      name: 'sensor',
      title: bridges.sensor,
      cell: ({ sensor }) =>
        sensor === null ? <span class="muted">{bridges.noSensor}</span> : nameOfCode(common.sensors, sensor),
    },
    {
      name: 'quality',
      title: bridges.quality,
      cell: ({ quality, reason }) =>
        quality === 'good' ? common.qualities.good : (reasons[reason ?? ''] ?? common.qualities.bad),
    },
  ];
}

interface AddProps {
  readonly bridgeId: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Adds a device: a model and an address are entered, then a test is made, and only a place that was read can be saved. */
function AddDevice({ bridgeId, onDone, onClose }: AddProps) {
  const console = useConsole();
  const { client } = console;
  const { bridges, deviceAdmin } = texts.value;
  const place = useSignal(EMPTY_PLACE);
  const deviceId = useSignal('');
  const draft = useSignal(EMPTY_DEVICE);
  const tested = useSignal<{ readonly place: string; readonly result: BridgeTest } | null>(null);
  /** The device that an earlier attempt registered but could not attach. */
  const registered = useRef<string | null>(null);
  const testing = useAction();
  const mappings = useLoaded((signal) => client.bridges.mappings(bridgeId, { signal }), [bridgeId]);
  const mapping = mappings.value?.find(({ name }) => name === place.value.mapping);
  const wanted = placeOf(place.value);
  const isTested =
    tested.value !== null &&
    tested.value.place === JSON.stringify(wanted) &&
    tested.value.result.failure === null;
  const profile = mapping?.profile ?? DEFAULT_PROFILES.silo;
  const typed = (name: keyof typeof EMPTY_PLACE) => ({
    label: bridges.fields[name],
    value: place.value[name],
    onValue: (text: string) => {
      place.value = { ...place.peek(), [name]: text };
    },
  });
  const test = (): Promise<boolean> =>
    testing.run(async () => {
      if (wanted === null) return;
      tested.value = null;
      const result = await client.bridges.test(bridgeId, wanted, { ...callOptions(console), timeLimitMs: 0 });
      tested.value = { place: JSON.stringify(wanted), result };
      if (draft.peek().model === '') draft.value = { ...draft.peek(), model: mapping?.title ?? '' };
    });

  async function save(): Promise<void> {
    if (wanted === null || mapping === undefined) return;
    const id = deviceId.peek().trim();
    if (registered.current !== id) {
      await registerDevice(client, profile, id, draft.peek(), callOptions(console), mapping.sensors);
      registered.current = id;
    }
    await client.bridges.addDevice(
      bridgeId,
      { device_id: id, ...wanted },
      { ...callOptions(console), timeLimitMs: 0 },
    );
    onDone();
  }

  return (
    <FormDialog
      title={bridges.addDevice}
      submit={bridges.save}
      isIncomplete={!isTested}
      onSubmit={save}
      onClose={onClose}
    >
      <Failure of={mappings.failure} />
      <SelectInput
        {...typed('mapping')}
        hint={mapping === undefined ? bridges.modelHint : modelHint(mapping)}
        options={[
          ['', bridges.chooseModel],
          ...(mappings.value ?? [])
            .toSorted((one, other) => one.title.localeCompare(other.title, locale.value))
            .map(({ name, title, protocol }) => [name, `${title} · ${protocol}`] as const),
        ]}
      />
      <div class="form-row">
        <TextInput
          isRequired
          maxLength={500}
          placeholder={endpointExample(mapping)}
          hint={bridges.endpointHint}
          {...typed('endpoint')}
        />
        <NumberInput max={65_535} isWhole hint={bridges.unitHint} {...typed('unit')} />
      </div>
      <TextArea hint={bridges.optionsHint} maxLength={2_000} {...typed('options')} />
      <Button isBusy={testing.isRunning} isChange isDisabled={wanted === null} onPress={() => void test()}>
        {bridges.testNow}
      </Button>
      {testing.isRunning && <p role="status">{bridges.testing}</p>}
      <Failure of={testing.failure} />
      {tested.value !== null && <TestResult result={tested.value.result} />}
      {tested.value !== null && !isTested && tested.value.result.failure === null && (
        <p class="muted">{bridges.testAgain}</p>
      )}
      {isTested && (
        <>
          <TextInput
            label={deviceAdmin.id}
            hint={deviceAdmin.idHint}
            isRequired
            maxLength={64}
            pattern="[A-Za-z0-9_\-]+"
            {...bound(deviceId)}
          />
          <DeviceFields hasCapacity={hasCapacity(profile)} hasSensors={false} {...bound(draft)} />
        </>
      )}
    </FormDialog>
  );
}

/** Tells from which documents the mapping was made and with what it was tested. */
function modelHint({ evidence, source }: BridgeMapping): string {
  const words: Readonly<Record<string, string>> = texts.value.bridges.evidence;
  return [words[evidence] ?? evidence, source].filter((text) => text !== '').join(' ');
}
