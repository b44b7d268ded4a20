import type { AuditEntry } from '@granary/contract/audit';
import { Time } from '../../parts/age.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { texts } from '../../texts/texts.ts';
import './audit-details.css';

/** One entry with the request that caused it. */
export function AuditDetails({
  entry,
  onClose,
}: {
  readonly entry: AuditEntry;
  readonly onClose: () => void;
}) {
  const { audit } = texts.value;
  return (
    <Dialog title={entry.action} onClose={onClose}>
      <dl class="fact-list">
        <dt>{audit.at}</dt>
        <dd>
          <Time at={entry.at} />
        </dd>
        <dt>{audit.key}</dt>
        <dd class="free-text">{entry.actor?.key_name ?? audit.nobody}</dd>
        <dt>{audit.request}</dt>
        <dd class="free-text">
          {entry.method} {entry.path}
        </dd>
        <dt>{audit.resource}</dt>
        <dd class="free-text">{entry.resource_id ?? '–'}</dd>
        <dt>{audit.requestId}</dt>
        <dd>{entry.request_id}</dd>
      </dl>
      {entry.input !== null && (
        <section aria-label={audit.input}>
          <h3>{audit.input}</h3>
          <pre class="audit-input">{JSON.stringify(entry.input, null, 2)}</pre>
        </section>
      )}
    </Dialog>
  );
}
