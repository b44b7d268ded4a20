/** Why messages cannot be sent to this address at all; `null` if they can. */
export function targetFault(url: string): string | null {
  if (!URL.canParse(url)) return 'is not an address';
  const { protocol, username, password, hostname } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with http:// or https://';
  // It would be shown to everyone who may list webhooks; the signature authenticates the sender.
  if (username !== '' || password !== '') return 'must not contain a user name or a password';
  return hostname === '' ? 'must name a host' : null;
}
