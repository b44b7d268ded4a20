import type { AuditEntry, AuditQuery } from '@granary/contract/audit';
import { AUDIT_RESULTS } from '@granary/contract/outline';

/** The filters of the address in the form of the API; a day is one of the viewer's calendar. */
export function auditQuery(query: URLSearchParams): AuditQuery {
  const given = (name: string): string | undefined => query.get(name) || undefined;
  const result = AUDIT_RESULTS.find((one) => one === given('result'));
  const day = dayOf(given('day'));
  const filters = {
    device_id: given('device'),
    facility: given('facility'),
    key_id: given('key'),
    actor: given('actor'),
    action: given('action'),
    result,
    from: day?.from,
    to: day?.to,
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

function dayOf(text: string | undefined): { readonly from: string; readonly to: string } | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? '');
  if (match === null) return null;
  const [year, month, day] = match.slice(1).map(Number);
  const at = (days: number) => new Date(year ?? 0, (month ?? 1) - 1, (day ?? 1) + days).toISOString();
  return { from: at(0), to: at(1) };
}

const CSV_COLUMNS = 'at,who,named,confirmed_by,action,device,result,code,count,address,method,path,request';

/** The entries as CSV, one line for each; times are in UTC. */
export function auditCsv(entries: readonly AuditEntry[]): string {
  const lines = entries.map((entry) =>
    [
      entry.at,
      entry.actor?.key_name ?? '',
      entry.actor?.actor ?? '',
      entry.actor?.confirmed_by?.name ?? '',
      entry.action,
      entry.device_id ?? '',
      entry.result,
      entry.code ?? '',
      String(entry.count),
      entry.address,
      entry.method,
      entry.path,
      entry.request_id,
    ]
      .map(csvCell)
      .join(','),
  );
  return `${[CSV_COLUMNS, ...lines].join('\r\n')}\r\n`;
}

/** A text that begins like a formula gets an apostrophe, because spreadsheets would compute it. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
