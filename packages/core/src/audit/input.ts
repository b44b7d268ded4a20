import type { AuditInput } from '@granary/contract/audit';

const INPUT_CHARS_MAX = 2_000;
export const PATH_CHARS_MAX = 500;
const LEFT_OUT = '(left out)';

const NAME_OF_SECRET = /secret|password|token|authorization|credential|^(api_?)?key$/i;
/** An API key, the secret of a session, a sign-in code or a webhook secret, wherever a caller has put it by mistake. */
const SECRET = /\b(gk_|gs_|gc_|whsec_)[\w+/=-]{16,}/g;

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

/** A body that is nested too deeply to be written is refused elsewhere. */
function textOf(input: AuditInput): string {
  try {
    return JSON.stringify(input, (name, value: unknown) => (NAME_OF_SECRET.test(name) ? LEFT_OUT : value));
  } catch {
    return JSON.stringify({ shortened: '(nested too deeply)' } satisfies AuditInput);
  }
}
