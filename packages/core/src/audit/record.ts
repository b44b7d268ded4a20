import type { AuditEntry } from '@granary/contract/audit';
import { toIso } from '@granary/contract/time';

interface StoredEntry {
  readonly attemptId: string;
  readonly atMs: number;
  readonly requestId: string;
  readonly actor: AuditEntry['actor'];
  readonly address: string;
  readonly action: string;
  readonly method: string;
  readonly path: string;
  readonly deviceId: string | null;
  readonly resourceId: string | null;
  readonly result: AuditEntry['result'];
  readonly code: AuditEntry['code'];
  readonly count: number;
  readonly input: string | null;
}

/** The record that callers see. */
export const auditRecord = (entry: StoredEntry): AuditEntry => ({
  audit_id: entry.attemptId,
  at: toIso(entry.atMs),
  request_id: entry.requestId,
  actor: entry.actor,
  address: entry.address,
  action: entry.action,
  method: entry.method,
  path: entry.path,
  device_id: entry.deviceId,
  resource_id: entry.resourceId,
  result: entry.result,
  code: entry.code,
  count: entry.count,
  input: entry.input === null ? null : JSON.parse(entry.input),
});
