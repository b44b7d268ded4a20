import type { OperationRecord } from '@granary/contract/operations';
import { useConsole } from '../../console.ts';
import { withLocalTimes } from '../../format/sentences.ts';
import { operationTitle } from '../../operations/operation-texts.ts';
import { Age } from '../../parts/age.tsx';
import { addressOf } from '../../routes.ts';
import { locale, texts } from '../../texts/texts.ts';

interface Props {
  readonly deviceId: string;
  readonly operation: OperationRecord;
  readonly endedAt: string;
}

/** How the last operation ended, so that a person who watched it sees its end. */
export function LastOperation({ deviceId, operation, endedAt }: Props) {
  const { live } = useConsole();
  const { operations, devices } = texts.value;
  const { operation_id, status, status_detail } = operation;
  return (
    <section class="panel device-last" aria-label={devices.lastOperation}>
      <p>
        <span class="muted">
          {devices.lastOperation}, <Age since={endedAt} />
        </span>
      </p>
      <p>
        <a
          class="free-text"
          href={addressOf('devices', deviceId, { tab: 'operations', operation: operation_id })}
        >
          {operationTitle(operation, operations, locale.value)}
        </a>{' '}
        <strong>{operations.statuses[status]}</strong>
      </p>
      <p class="muted free-text">
        {withLocalTimes(status_detail, live.site.clock.nowMs.peek(), locale.value)}
      </p>
    </section>
  );
}
