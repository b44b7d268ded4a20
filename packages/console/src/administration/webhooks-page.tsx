import { ALERT_SEVERITIES } from '@granary/contract/outline';
import './webhooks-page.css';
import { EVENT_TYPES } from '@granary/contract/outline';
import type { WebhookDelivery, WebhookRecord } from '@granary/contract/webhooks';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { ConfirmButton, Dialog, DialogButton } from '../kit/dialog.tsx';
import { useAction, useDraft } from '../kit/form-state.ts';
import { Choices, TextInput } from '../kit/inputs.tsx';
import { Age, Time } from '../kit/measured.tsx';
import { Failure } from '../kit/messages.tsx';
import { RotationDialog, SecretForm } from '../kit/secret-dialog.tsx';
import { column, PageList, Table, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useEventReload, usePages } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';
import { PlaceChoices } from './place-choices.tsx';
import { draftOfWebhook, EMPTY_WEBHOOK, webhookOf } from './webhook-draft.ts';

const USUAL_OVERLAP_H = 24;

interface FormProps {
  /** The webhook that is edited; `null` for a new one. */
  readonly webhook: WebhookRecord | null;
  readonly onClose: () => void;
}

function WebhookForm({ webhook, onClose }: FormProps) {
  const console = useConsole();
  const { client } = console;
  const { webhooks, common, keys } = texts.value;
  const { current, field } = useDraft(webhook === null ? EMPTY_WEBHOOK : draftOfWebhook(webhook));

  async function save(): Promise<[string, string][]> {
    const wanted = webhookOf(current.peek());
    if (webhook === null) {
      return [[webhooks.secret, (await client.webhooks.create(wanted, callOptions(console))).secret]];
    }
    await client.webhooks.update(webhook.webhook_id, wanted, callOptions(console));
    return [];
  }

  return (
    <SecretForm
      title={webhook === null ? webhooks.create : webhooks.edit}
      submit={webhook === null ? webhooks.create : common.save}
      issuedTitle={webhooks.created}
      issue={save}
      onClose={onClose}
    >
      <TextInput
        label={webhooks.url}
        hint={webhooks.urlHint}
        type="url"
        maxLength={2_000}
        isRequired
        {...field('url')}
      />
      <TextInput label={webhooks.description} {...field('description')} />
      <Choices
        legend={webhooks.events}
        hint={keys.limitHint}
        options={EVENT_TYPES.map((type) => [type, type])}
        {...field('eventTypes')}
      />
      <Choices
        legend={webhooks.severities}
        hint={keys.limitHint}
        options={ALERT_SEVERITIES.map((severity) => [severity, common.severities[severity]])}
        {...field('severities')}
      />
      <PlaceChoices facilities={field('facilities')} deviceIds={field('deviceIds')} />
    </SecretForm>
  );
}

export function WebhooksPage() {
  const { client, navigation } = useConsole();
  const { webhooks } = texts.value;
  const pages = usePages((page, signal) => client.webhooks.list(page, { signal }), []);
  useEventReload(['webhook.'], pages.reload);
  const opened = navigation.route.value.query.get('webhook');
  const open = (webhookId: string | undefined): void => navigation.filter({ webhook: webhookId });
  const webhook = pages.items?.find(({ webhook_id }) => webhook_id === opened);
  return (
    <>
      <div class="administration-head">
        <p class="muted">{webhooks.meaning}</p>
        <DialogButton kind="primary" text={webhooks.create}>
          {(close) => <WebhookForm webhook={null} onClose={close} />}
        </DialogButton>
      </div>
      <PageList pages={pages} empty={webhooks.none}>
        {(items) => (
          <Table
            label={webhooks.title}
            columns={webhookColumns(open)}
            rows={items}
            idOf={({ webhook_id }) => webhook_id}
            onOpen={({ webhook_id }) => open(webhook_id)}
          />
        )}
      </PageList>
      {webhook !== undefined && (
        <WebhookPanel key={opened} webhook={webhook} onClose={() => open(undefined)} />
      )}
    </>
  );
}

function webhookColumns(open: (webhookId: string) => void): readonly Column<WebhookRecord>[] {
  const { webhooks } = texts.value;
  return [
    titleColumn('url', webhooks.url, ({ url }) => url),
    column(
      'description',
      webhooks.description,
      { sortBy: ({ description }) => description },
      ({ description }) => description !== null && <span class="free-text">{description}</span>,
    ),
    column('events', webhooks.events, {}, ({ event_types }) =>
      event_types === null ? webhooks.everyEvent : webhooks.eventCount({ count: event_types.length }),
    ),
    column('state', webhooks.state, { sortBy: ({ enabled }) => Number(enabled) }, (webhook) => (
      <WebhookState webhook={webhook} />
    )),
    column('actions', webhooks.manage, { kind: 'actions' }, ({ webhook_id, url }) => (
      <Button label={webhooks.manageOf({ url })} onPress={() => open(webhook_id)}>
        {webhooks.manage}
      </Button>
    )),
  ];
}

/** Shows whether the webhook gets messages, and if not, the reason. */
function WebhookState({
  webhook: { enabled, disabled_reason, failing_since },
}: {
  readonly webhook: WebhookRecord;
}) {
  const { webhooks } = texts.value;
  if (!enabled) {
    return (
      <span class="free-text">
        <strong>{webhooks.disabled}</strong> {disabled_reason ?? webhooks.byPerson}
      </span>
    );
  }
  if (failing_since === null) return <>{webhooks.enabled}</>;
  return (
    <strong>
      {webhooks.failing} <Age since={failing_since} />
    </strong>
  );
}

interface PanelProps {
  readonly webhook: WebhookRecord;
  readonly onClose: () => void;
}

/** Shows the messages for one webhook, and every action that is possible with it. */
function WebhookPanel({ webhook, onClose }: PanelProps) {
  const console = useConsole();
  const { client } = console;
  const { webhooks, forms } = texts.value;
  const { webhook_id: id, enabled } = webhook;
  const { run, isRunning, failure } = useAction();
  const tested = useSignal<WebhookDelivery | null>(null);
  const deliveries = usePages((page, signal) => client.webhooks.deliveries(id, page, { signal }), [id]);
  useEventReload(['webhook.'], deliveries.reload);

  const test = async (): Promise<void> => {
    tested.value = await client.webhooks.test(id, callOptions(console));
    deliveries.reload();
  };
  const enable = async (): Promise<void> => {
    if (enabled) await client.webhooks.update(id, { enabled: false }, callOptions(console));
    else await client.webhooks.enable(id, {}, callOptions(console));
  };
  return (
    <Dialog title={webhook.url} onClose={onClose}>
      {webhook.disabled_reason !== null && (
        <p class="refusal">{webhooks.disabledBecause({ reason: webhook.disabled_reason })}</p>
      )}
      <div class="buttons">
        <Button isBusy={isRunning} isDisabled={!enabled} onPress={() => void run(test)}>
          {webhooks.test}
        </Button>
        <DialogButton text={webhooks.edit}>
          {(close) => <WebhookForm webhook={webhook} onClose={close} />}
        </DialogButton>
        <Button isBusy={isRunning} onPress={() => void run(enable)}>
          {enabled ? webhooks.disable : webhooks.enable}
        </Button>
        <ConfirmButton
          text={webhooks.replay}
          label={webhooks.replay}
          means={webhooks.replayMeans}
          onConfirm={async () => {
            await client.webhooks.replay(id, { dead: true }, callOptions(console));
            deliveries.reload();
          }}
        />
        <DialogButton text={webhooks.rotate}>
          {(close) => <RotateSecret webhookId={id} onClose={close} />}
        </DialogButton>
        <ConfirmButton
          text={forms.remove}
          label={`${forms.remove}: ${webhook.url}`}
          means={webhooks.removeMeans}
          onConfirm={async () => {
            await client.webhooks.remove(id, callOptions(console));
            onClose();
          }}
        />
      </div>
      <Failure of={failure} />
      {tested.value !== null && (
        <p role="status">
          {webhooks.tested({ status: tested.value.last_status ?? '', error: tested.value.last_error })}
        </p>
      )}
      <section aria-label={webhooks.deliveries}>
        <h3>{webhooks.deliveries}</h3>
        <PageList pages={deliveries} empty={webhooks.noDeliveries}>
          {(items) => (
            <ul class="webhook-deliveries">
              {items.map((delivery) => (
                <Delivery key={delivery.message_id} delivery={delivery} />
              ))}
            </ul>
          )}
        </PageList>
      </section>
    </Dialog>
  );
}

function Delivery({
  delivery: { type, status, attempts, created_at, last_error },
}: {
  readonly delivery: WebhookDelivery;
}) {
  const { webhooks } = texts.value;
  const word = webhooks.deliveryStatuses[status];
  return (
    <li>
      <span>
        {type} · {status === 'dead' ? <strong>{word}</strong> : word}
        {attempts > 1 && ` · ${webhooks.attempts({ count: attempts })}`}
      </span>
      <Time at={created_at} />
      {last_error !== null && status !== 'delivered' && <span class="reason">{last_error}</span>}
    </li>
  );
}

function RotateSecret({ webhookId, onClose }: { readonly webhookId: string; readonly onClose: () => void }) {
  const console = useConsole();
  const { webhooks } = texts.value;
  return (
    <RotationDialog
      texts={{
        title: webhooks.rotate,
        submit: webhooks.rotate,
        meaning: webhooks.rotateMeans,
        overlap: webhooks.overlap,
        issuedTitle: webhooks.rotate,
        secret: webhooks.secret,
      }}
      usualOverlap={USUAL_OVERLAP_H}
      unitSeconds={3_600}
      rotate={async (rotation) =>
        (await console.client.webhooks.rotateSecret(webhookId, rotation, callOptions(console))).secret
      }
      onClose={onClose}
    />
  );
}
