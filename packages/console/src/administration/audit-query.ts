import { AUDIT_RESULTS, type AuditQuery } from '@granary/contract/audit';

/** The filters of the address as those of the API; a day is one of the viewer's calendar. */
export function auditQuery(query: URLSearchParams): AuditQuery {
  const given = (name: string): string | undefined => query.get(name) || undefined;
  const result = AUDIT_RESULTS.find((one) => one === given('result'));
  const day = dayOf(given('day'));
  const filters = {
    device_id: given('device'),
    facility: given('facility'),
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
