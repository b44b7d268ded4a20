import type { WebhookRecord } from '@granary/contract/webhooks';
import { useConsole } from '../../console.ts';
import { Age } from '../../parts/age.tsx';
import { Button } from '../../parts/button.tsx';
import { DialogButton } from '../../parts/forms/dialog-button.tsx';
import { PageList } from '../../parts/lists/page-list.tsx';
import { Table } from '../../parts/lists/table.tsx';
import type { Column } from '../../parts/lists/table-column.ts';
import { useEventReload } from '../../parts/lists/use-event-reload.ts';
import { usePages } from '../../parts/lists/use-pages.ts';
import { texts } from '../../texts/texts.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookPanel } from './webhook-panel.tsx';
import './webhooks-page.css';

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
  const { webhooks, deviceAdmin } = texts.value;
  return [
    {
      name: 'url',
      title: webhooks.url,
      kind: 'title',
      sortBy: ({ url }) => url,
      cell: ({ url }) => <strong class="free-text">{url}</strong>,
    },
    {
      name: 'description',
      title: webhooks.description,
      sortBy: ({ description }) => description,
      cell: ({ description }) => description !== null && <span class="free-text">{description}</span>,
    },
    {
      name: 'events',
      title: webhooks.events,
      cell: ({ event_types }) =>
        event_types === null ? webhooks.everyEvent : webhooks.eventCount(event_types.length),
    },
    {
      name: 'state',
      title: webhooks.state,
      sortBy: ({ enabled }) => Number(enabled),
      cell: (webhook) => <WebhookState webhook={webhook} />,
    },
    {
      name: 'actions',
      title: deviceAdmin.manage,
      kind: 'actions',
      cell: ({ webhook_id, url }) => (
        <Button label={deviceAdmin.manageOf(url)} onPress={() => open(webhook_id)}>
          {deviceAdmin.manage}
        </Button>
      ),
    },
  ];
}

/** Whether it gets messages, and why not. */
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
