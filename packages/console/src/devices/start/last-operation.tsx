import { useConsole } from '../../console.ts';
import { withLocalTimes } from '../../format/sentences.ts';
import { operationTitle } from '../../operations/operation-texts.ts';
import { Age } from '../../parts/age.tsx';
import { useEventReload } from '../../parts/lists/use-event-reload.ts';
import { useLoaded } from '../../parts/use-loaded.ts';
import { addressOf } from '../../routes.ts';
import { locale, texts } from '../../texts/texts.ts';

/** How the last operation ended, so that a person who watched it sees its end. */
export function LastOperation({ deviceId }: { readonly deviceId: string }) {
  const { client, live } = useConsole();
  const { operations, devices } = texts.value;
  const loaded = useLoaded(
    async (signal) => (await client.operations.list(deviceId, { limit: 1 }, { signal })).data[0] ?? null,
    [deviceId],
  );
  useEventReload(['operation.'], loaded.reload);
  const last = loaded.value;
  if (last === null || last === undefined || last.ended_at === null) return null;
  return (
    <section class="panel device-last" aria-label={devices.lastOperation}>
      <p>
        <span class="muted">
          {devices.lastOperation}, <Age since={last.ended_at} />
        </span>
      </p>
      <p>
        <a
          class="free-text"
          href={addressOf('devices', deviceId, { tab: 'operations', operation: last.operation_id })}
        >
          {operationTitle(last, operations, locale.value)}
        </a>{' '}
        <strong>{operations.statuses[last.status]}</strong>
      </p>
      <p class="muted free-text">
        {withLocalTimes(last.status_detail, live.site.clock.nowMs.peek(), locale.value)}
      </p>
    </section>
  );
}
