import type { AuditEntry, AuditedChange, AuditInput } from '@granary/contract/audit';
import { toIso } from '@granary/contract/time';

const INPUT_CHARS_MAX = 2_000;
export const PATH_CHARS_MAX = 500;
const LEFT_OUT = '(left out)';
const NAME_OF_SECRET =
  /secret|password|token|authorization|credential|second_factor|^auth$|^endpoint$|^code$|^pin$|^(api_?)?key$/i;
/** An API key, the secret of a session, a sign-in code or a webhook secret, in whatever field a caller has sent it by mistake. */
const SECRET = /\b(gk_|gs_|gc_|gi_|whsec_)[\w+/=-]{16,}/g;
const CHANGE_CHARS_MAX = 20_000;
const VALUE_CHARS_MAX = 4_000;

export const withoutSecrets = (text: string): string => text.replaceAll(SECRET, LEFT_OUT);

/** The input of a request for the audit log as JSON, without secrets and of limited length; `null` when there is none. */
export function auditInput(query: object, body: unknown): string | null {
  const hasQuery = Object.keys(query).length > 0;
  const hasBody = body !== undefined && body !== null;
  if (!hasQuery && !hasBody) return null;
  const input: AuditInput = { ...(hasQuery ? { query } : {}), ...(hasBody ? { body } : {}) };
  const text = withoutSecrets(textOf(input));
  if (text.length <= INPUT_CHARS_MAX) return text;
  return JSON.stringify({ shortened: text.slice(0, INPUT_CHARS_MAX).toWellFormed() } satisfies AuditInput);
}

/** The audit input of one change of a request that makes several: as many whole differences as fit. */
export function auditedChange({ action, name, differences }: Omit<AuditedChange, 'left_out'>): string {
  const kept: AuditedChange['differences'] = [];
  let chars = 0;
  for (const { path, before, after } of differences) {
    const difference = { path, before: boundedValue(before), after: boundedValue(after) };
    chars += JSON.stringify(difference).length;
    if (chars > CHANGE_CHARS_MAX) break;
    kept.push(difference);
  }
  const leftOut = differences.length - kept.length;
  const change = { action, name, differences: kept, ...(leftOut === 0 ? {} : { left_out: leftOut }) };
  return withoutSecrets(textOf({ change }));
}

function boundedValue(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text.length <= VALUE_CHARS_MAX
    ? value
    : `${text.slice(0, VALUE_CHARS_MAX).toWellFormed()}… (shortened, ${text.length} characters)`;
}

/** A body that is nested too deeply for JSON is refused elsewhere. */
function textOf(input: AuditInput): string {
  try {
    return JSON.stringify(input, (name, value: unknown) => (NAME_OF_SECRET.test(name) ? LEFT_OUT : value));
  } catch {
    return JSON.stringify({ shortened: '(nested too deeply)' } satisfies AuditInput);
  }
}

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
