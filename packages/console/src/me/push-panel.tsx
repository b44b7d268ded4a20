import { ALERT_SEVERITIES, PUSHED_OPERATIONS } from '@granary/contract/outline';
import type { PushState, PushSubscriptionRecord } from '@granary/contract/push';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { callOptions, useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { ConfirmButton, DialogButton, FormDialog } from '../kit/dialog.tsx';
import { useAction, useDraft } from '../kit/form-state.ts';
import { CheckInput, Choices, SelectInput } from '../kit/inputs.tsx';
import { Time } from '../kit/measured.tsx';
import { Failure } from '../kit/messages.tsx';
import { set } from '../kit/set.ts';
import { Table, titleColumn } from '../kit/table.tsx';
import { TimeInput } from '../kit/time-input.tsx';
import { type Loaded, useLoaded } from '../kit/use-loaded.ts';
import { isPushOn, pushObstacle, turnPushOff, turnPushOn } from '../phone/push.ts';
import { texts } from '../texts.ts';
import { browserName } from './browser-name.ts';

/** Switches the messages on this device, and lists the other devices of the person. */
export function PushPanel() {
  const { client } = useConsole();
  const { push } = texts.value;
  const state = useLoaded((signal) => client.push.get({ signal }), []);
  return (
    <section class="panel" aria-label={push.title}>
      <header>
        <h2>{push.title}</h2>
        {state.value !== undefined && <WhatToTell state={state.value} onSaved={state.reload} />}
      </header>
      <p class="muted">{push.means}</p>
      <Failure of={state.failure} />
      {state.value !== undefined && <ThisDevice loaded={state} state={state.value} />}
      {state.value !== undefined && state.value.subscriptions.length > 0 && (
        <Devices subscriptions={state.value.subscriptions} onEnded={state.reload} />
      )}
    </section>
  );
}

function ThisDevice({ loaded, state }: { readonly loaded: Loaded<PushState>; readonly state: PushState }) {
  const console = useConsole();
  const { client, session } = console;
  const { push } = texts.value;
  const action = useAction();
  const isOn = useSignal(false);
  const isTested = useSignal(false);
  const obstacle = pushObstacle();
  const isKnown = state.subscriptions.some(({ is_current }) => is_current);
  const look = async (): Promise<void> => set(isOn, isKnown && (await isPushOn(session.key_id)));
  useEffect(() => void look(), [isKnown]);
  const change = async (): Promise<void> => {
    if (isOn.peek()) {
      const own = state.subscriptions.find(({ is_current }) => is_current);
      if (own !== undefined) await client.push.unsubscribe(own.subscription_id, callOptions(console));
      await turnPushOff();
    } else await turnPushOn(client, session.key_id, state.public_key);
    loaded.reload();
  };
  if (obstacle !== null) return <p role="status">{push.obstacles[obstacle]}</p>;
  const isServiceMissing = action.failure instanceof DOMException;
  return (
    <>
      <p role="status">{isOn.value ? push.isOn : push.isOff}</p>
      <p class="actions">
        <Button isDisabled={action.isRunning} onPress={() => void action.run(change)}>
          {isOn.value ? push.turnOff : push.turnOn}
        </Button>
        {state.subscriptions.length > 0 && (
          <Button
            isDisabled={action.isRunning}
            onPress={() =>
              void action.run(async () => {
                await client.push.test(callOptions(console));
                isTested.value = true;
              })
            }
          >
            {push.test}
          </Button>
        )}
      </p>
      <p role="status">{isTested.value ? push.tested : ''}</p>
      {isServiceMissing ? <p role="alert">{push.obstacles.service}</p> : <Failure of={action.failure} />}
    </>
  );
}

interface DevicesProps {
  readonly subscriptions: readonly PushSubscriptionRecord[];
  readonly onEnded: () => void;
}

function Devices({ subscriptions, onEnded }: DevicesProps) {
  const console = useConsole();
  const { push, me } = texts.value;
  const nameOf = ({ browser }: PushSubscriptionRecord): string => browserName(browser) ?? me.unknownBrowser;
  return (
    <Table
      label={push.devices}
      rows={subscriptions}
      idOf={({ subscription_id }) => subscription_id}
      orderName="push"
      columns={[
        titleColumn('browser', me.browser, (one: PushSubscriptionRecord) =>
          one.is_current ? `${nameOf(one)} · ${me.thisBrowser}` : nameOf(one),
        ),
        { name: 'since', title: push.since, cell: ({ created_at }) => <Time at={created_at} /> },
        {
          name: 'actions',
          title: me.actions,
          kind: 'actions',
          cell: (one) => (
            <ConfirmButton
              text={push.end}
              label={push.endOf({ browser: nameOf(one) })}
              means={push.endMeans}
              onConfirm={async () => {
                await console.client.push.unsubscribe(one.subscription_id, callOptions(console));
                if (one.is_current) await turnPushOff();
                onEnded();
              }}
            />
          ),
        },
      ]}
    />
  );
}

interface SettingsProps {
  readonly state: PushState;
  readonly onSaved: () => void;
}

function WhatToTell({ state, onSaved }: SettingsProps) {
  return (
    <DialogButton text={texts.value.push.settings}>
      {(close) => <SettingsForm state={state} onSaved={onSaved} onClose={close} />}
    </DialogButton>
  );
}

function SettingsForm({
  state: { settings, time_zone },
  onSaved,
  onClose,
}: SettingsProps & { readonly onClose: () => void }) {
  const console = useConsole();
  const { push, notifications, common, keys } = texts.value;
  const quiet = settings.quiet_hours;
  const { current, field } = useDraft({
    severityMin: settings.severity_min as string,
    facilities: settings.facilities ?? ([] as readonly string[]),
    operations: settings.operations as string,
    resolved: settings.resolved,
    hasQuietHours: quiet !== null,
    quietFrom: quiet?.from ?? '22:00',
    quietTo: quiet?.to ?? '06:00',
    areCriticalQuiet: quiet?.critical_too ?? false,
  });
  const save = async (): Promise<void> => {
    const draft = current.peek();
    const wanted = {
      severity_min: ALERT_SEVERITIES.find((one) => one === draft.severityMin) ?? settings.severity_min,
      facilities: draft.facilities.length === 0 ? null : [...draft.facilities],
      operations: PUSHED_OPERATIONS.find((one) => one === draft.operations) ?? settings.operations,
      resolved: draft.resolved,
      quiet_hours: draft.hasQuietHours
        ? {
            ...(quiet ?? {}),
            from: draft.quietFrom,
            to: draft.quietTo,
            critical_too: draft.areCriticalQuiet,
          }
        : null,
    };
    await console.client.push.change(wanted, callOptions(console));
    onSaved();
  };
  const known = console.live.site.devices.facilities.value;
  const facilities = [...new Set([...known, ...current.value.facilities])];
  return (
    <FormDialog title={push.settings} submit={common.save} onSubmit={save} onClose={onClose}>
      <SelectInput
        label={push.severityMin}
        options={ALERT_SEVERITIES.map((severity) => [severity, common.severities[severity]])}
        {...field('severityMin')}
      />
      <CheckInput label={push.resolved} {...field('resolved')} />
      <SelectInput
        label={push.operations}
        options={PUSHED_OPERATIONS.map((one) => [one, push.operationsOf[one]])}
        {...field('operations')}
      />
      <Choices
        legend={push.facilities}
        hint={keys.limitHint}
        options={facilities.map((name) => [name, name])}
        {...field('facilities')}
      />
      <CheckInput
        label={notifications.quietHours}
        hint={push.quietMeans({ zone: quiet?.time_zone ?? time_zone })}
        {...field('hasQuietHours')}
      />
      {current.value.hasQuietHours && (
        <>
          <div class="form-row">
            <TimeInput label={notifications.from} kind="time" isRequired {...field('quietFrom')} />
            <TimeInput label={notifications.to} kind="time" isRequired {...field('quietTo')} />
          </div>
          <CheckInput label={notifications.criticalToo} {...field('areCriticalQuiet')} />
        </>
      )}
    </FormDialog>
  );
}
