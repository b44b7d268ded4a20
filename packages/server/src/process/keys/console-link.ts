import type { App } from '@granary/app/app';
import type { AdminKey } from './admin-key.ts';
import { hashSecret } from './secrets.ts';
import { newSignInCode } from './session-secrets.ts';

interface LinkParts {
  readonly app: Pick<App, 'keys' | 'session'>;
  readonly adminKey: AdminKey;
  /** Where people reach the service. */
  readonly baseUrl: string;
  readonly nowMs: number;
}

/** A link that signs in once with the admin key; without a time only the address of the page. */
export async function firstConsoleLink(parts: LinkParts, validMs: number | undefined): Promise<string> {
  const { app, adminKey, baseUrl, nowMs } = parts;
  const key = validMs === undefined ? undefined : await app.keys.findByHash(hashSecret(adminKey.key));
  if (validMs === undefined || key === undefined) return `${baseUrl}/`;
  const code = newSignInCode();
  await app.session.createCode({
    hash: hashSecret(code),
    keyId: key.keyId,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + validMs,
  });
  // After the `#`, which browsers do not send, so that the code reaches no log of a server.
  return `${baseUrl}/#sign-in=${code}`;
}
