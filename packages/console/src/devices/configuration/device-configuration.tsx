import './configuration.css';
import { ApiError } from '@granary/client';
import type { FleetDevice } from '@granary/contract/fleet';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import type {
  DeviceConfiguration as Configuration,
  ConfigurationPatchOf,
} from '@granary/contract/profiles/profiles';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { callOptions, useConsole, useScope } from '../../context/console.ts';
import { pageZone } from '../../context/page-zone.ts';
import { Button } from '../../kit/button.tsx';
import { useAction } from '../../kit/form-state.ts';
import { formatQuantity, zoneOf } from '../../kit/format.ts';
import { Time } from '../../kit/measured.tsx';
import { Failure } from '../../kit/messages.tsx';
import { faultText } from '../../kit/sentences.ts';
import { shownTime } from '../../kit/site-time.ts';
import { timeText } from '../../kit/time-entry.ts';
import { useHeight } from '../../kit/use-height.ts';
import { useLoaded } from '../../kit/use-loaded.ts';
import { nameOf } from '../../operations/jobs.ts';
import { locale, texts } from '../../texts.ts';
import type { DeviceFacts } from '../facts/device-facts.ts';
import type { ShownSensor } from '../facts/sensors.ts';
import {
  type Conflict,
  changedPaths,
  type Draft,
  draftOf,
  kindOf,
  merged,
  patchOf,
  RULES,
  UNIT_OF,
} from './configuration-draft.ts';
import { ConfigurationFields, fieldLabel } from './configuration-fields.tsx';

const AGAIN_MS = 1_000;
const SHOWN_CHARS_MAX = 80;

interface Props {
  readonly device: FleetDevice;
  readonly facts: DeviceFacts;
  readonly sensors: readonly ShownSensor[];
  readonly reload: () => void;
}

/** Changes the configuration. Changes of another person in the meantime are merged; where both changed the same field, the person decides. */
export function DeviceConfiguration({ device, facts, sensors, reload }: Props) {
  const { devices, common } = texts.value;
  const words = devices.configuration;
  const { device_id, group } = device;
  const mayConfigure = useScope('configure');
  const edited = useEditedConfiguration(device, facts, reload);
  const { draft, conflicts, faulty, savedAt } = edited;
  const action = useAction();
  const actions = useRef<HTMLDivElement>(null);
  useHeight(actions, '--docked-height', mayConfigure);
  const timeZone = zoneOfDevice(facts.configuration);
  const changes = changedPaths(edited.stored, draft);
  const refused = action.failure instanceof ApiError ? action.failure : null;
  const wrong = new Map(
    refused?.details.map((fault) => [fault.path.replace(/^\//, '').replaceAll('/', '.'), faultText(fault)]),
  );
  const isOutdated = refused?.code === 'stale_version';
  return (
    <form
      class="device-configuration"
      aria-label={devices.tabs.configuration}
      onSubmit={(event) => {
        event.preventDefault();
        void action.run(edited.save);
      }}
    >
      {isOutdated && conflicts.length === 0 && changes.length > 0 && (
        <p class="refusal">{words.checkAgain}</p>
      )}
      <Conflicts
        deviceId={device_id}
        group={group}
        draft={draft}
        timeZone={timeZone}
        conflicts={conflicts}
        taken={edited.taken}
        onDecide={edited.decide}
      />
      <ConfigurationFields
        draft={draft}
        timeZone={timeZone}
        sensors={sensors}
        changed={changes}
        faultOf={(path) => (faulty.includes(path) ? words.needsNumber : (wrong.get(path) ?? null))}
        isReadOnly={!mayConfigure}
        onChange={edited.change}
      />
      {mayConfigure && (
        <div ref={actions} class="device-configuration-actions">
          {!isOutdated && <Failure of={action.failure} />}
          <p class="muted" role="status">
            {changes.length > 0 && words.changed({ count: changes.length })}
            {changes.length === 0 && savedAt === null && words.unchanged}
            {changes.length === 0 && savedAt !== null && (
              <SavedLine device={{ device_id, group }} savedAt={savedAt} />
            )}
          </p>
          <Button
            isDisabled={changes.length === 0}
            onPress={() => {
              edited.discard();
              action.forget();
            }}
          >
            {words.discard}
          </Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={action.isRunning}
            isChange
            isDisabled={changes.length === 0 || conflicts.length > 0}
          >
            {common.save}
          </Button>
        </div>
      )}
    </form>
  );
}

/** The configuration while a person changes it, beside the stored one, which another person may change at the same time. */
function useEditedConfiguration(
  { device_id, group }: FleetDevice,
  { configuration, etag }: DeviceFacts,
  reload: () => void,
) {
  const shared = useConsole();
  const stored = useSignal<{ readonly draft: Draft; readonly etag: string | null }>({
    draft: draftOf(configuration),
    etag,
  });
  const draft = useSignal<Draft>(stored.peek().draft);
  const conflicts = useSignal<readonly Conflict[]>([]);
  /** The fields that another person has changed and this person has not. */
  const taken = useSignal<readonly string[]>([]);
  const faulty = useSignal<readonly string[]>([]);
  const savedAt = useSignal<string | null>(null);

  useEffect(() => {
    if (etag === stored.peek().etag) return;
    const theirs = draftOf(configuration);
    const hasChanges = changedPaths(stored.peek().draft, draft.peek()).length > 0;
    const result = merged(stored.peek().draft, draft.peek(), theirs);
    stored.value = { draft: theirs, etag };
    draft.value = result.draft;
    const anew = new Set(result.conflicts.map(({ path }) => path));
    conflicts.value = [...conflicts.peek().filter(({ path }) => !anew.has(path)), ...result.conflicts];
    taken.value = hasChanges ? result.taken : [];
  }, [etag]);

  const change = (path: string, text: string): void => {
    draft.value = new Map([...draft.peek(), [path, text]]);
    faulty.value = faulty.peek().filter((wrong) => wrong !== path);
  };

  async function save(): Promise<void> {
    const { patch, faulty: wrong } = patchOf(stored.peek().draft, draft.peek());
    faulty.value = wrong;
    if (wrong.length > 0) return;
    const { etag: before } = stored.peek();
    const options = { ...callOptions(shared), ...(before === null ? {} : { ifMatch: before }) };
    try {
      const saved = await shared.client.configuration[group].update(
        device_id,
        patch as ConfigurationPatchOf<'silo'> & ConfigurationPatchOf<'field'>,
        options,
      );
      stored.value = { draft: draftOf(saved.configuration), etag: saved.etag };
      draft.value = stored.peek().draft;
      taken.value = [];
      savedAt.value = new Date(shared.live.site.clock.nowMs.peek()).toISOString();
    } finally {
      // The configuration is also read again after a refusal, because another person may have changed it first.
      reload();
    }
  }

  return {
    stored: stored.value.draft,
    draft: draft.value,
    conflicts: conflicts.value,
    taken: taken.value,
    faulty: faulty.value,
    savedAt: savedAt.value,
    change,
    decide: (conflict: Conflict, text: string) => {
      change(conflict.path, text);
      conflicts.value = conflicts.peek().filter(({ path }) => path !== conflict.path);
    },
    discard: () => {
      draft.value = stored.peek().draft;
      conflicts.value = [];
      faulty.value = [];
    },
    save,
  };
}

/** The zone in the configuration of the silo, otherwise that of its site. */
const zoneOfDevice = (configuration: Configuration): string =>
  'time_zone' in configuration && configuration.time_zone !== undefined
    ? zoneOf({ time_zone: configuration.time_zone })
    : pageZone.value;

interface ConflictsProps {
  readonly deviceId: string;
  readonly group: DeviceGroup;
  readonly draft: Draft;
  readonly timeZone: string;
  readonly conflicts: readonly Conflict[];
  readonly taken: readonly string[];
  readonly onDecide: (conflict: Conflict, text: string) => void;
}

/** Shows what another person has changed while this form was open. */
function Conflicts({ deviceId, group, draft, timeZone, conflicts, taken, onDecide }: ConflictsProps) {
  const { client } = useConsole();
  const { devices } = texts.value;
  const words = devices.configuration;
  const isNeeded = conflicts.length + taken.length > 0;
  const newest = useLoaded(
    async (signal) =>
      isNeeded
        ? (await client.configuration[group].versions(deviceId, { limit: 1 }, { signal })).data[0]
        : undefined,
    [deviceId, isNeeded, conflicts.length, taken.length],
  ).value;
  if (!isNeeded) return null;
  const labelOf = (path: string): string => fieldLabel(path, draft, timeZone);
  return (
    <section class="panel device-conflicts" role="alert">
      <h2>
        {words.changedBy({ name: nameOf(newest?.actor ?? null) ?? words.somebody })}{' '}
        {newest !== undefined && (
          <span class="muted">
            <Time at={newest.at} />
          </span>
        )}
      </h2>
      {taken.length > 0 && <p>{words.taken({ fields: taken.map(labelOf).join(', ') })}</p>}
      {conflicts.length > 0 && <p>{words.bothChanged}</p>}
      <ul>
        {conflicts.map((conflict) => (
          <li key={conflict.path}>
            <strong>{labelOf(conflict.path)}</strong>
            <Button onPress={() => onDecide(conflict, conflict.mine)}>
              <span class="free-text">
                {words.keepMine({ value: shortened(conflict.path, conflict.mine, timeZone) })}
              </span>
            </Button>
            <Button onPress={() => onDecide(conflict, conflict.theirs)}>
              <span class="free-text">
                {words.takeTheirs({ value: shortened(conflict.path, conflict.theirs, timeZone) })}
              </span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function shortened(path: string, stored: string, timeZone: string): string {
  const text = path === RULES ? stored : fieldText(path, stored, timeZone);
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}

function fieldText(path: string, stored: string, timeZone: string): string {
  const kind = kindOf(path);
  if (kind === 'time') return timeText(shownTime(stored, timeZone), 'dateTime', locale.value);
  return kind === 'number' ? formatQuantity(Number(stored), UNIT_OF[path] ?? '', locale.value) : stored;
}

interface SavedLineProps {
  readonly device: Pick<FleetDevice, 'device_id' | 'group'>;
  /** When the configuration was saved, in the time of the service. */
  readonly savedAt: string;
}

/** Says that the configuration was saved, and how far it has come to the device, as far as the connection of the device tells. */
function SavedLine({ device: { device_id, group }, savedAt }: SavedLineProps) {
  const { client } = useConsole();
  const words = texts.value.devices.configuration;
  const link = useLoaded((signal) => client.devices[group].link(device_id, { signal }), [device_id, savedAt]);
  const state = link.value;
  const isSent = state?.connected === true && state.subscribed;
  const isReceived = isSent && state.messages.unacknowledged === 0;
  useEffect(() => {
    if (isReceived) return;
    const timer = setInterval(link.reload, AGAIN_MS);
    return () => clearInterval(timer);
  }, [isReceived, savedAt]);
  return (
    <>
      {words.saved} <Time at={savedAt} />
      {state !== undefined && ` · ${isSent ? words.sent : words.sentLater}`}
      {isSent && ` · ${isReceived ? words.received : words.notReceived}`}
    </>
  );
}
