/** A refusal of the recipient or of the message by the server, which another attempt would get, too. */
export function isPermanentFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { responseCode, command } = error as { responseCode?: unknown; command?: unknown };
  // A refusal of the login or of the sender is about our settings, which can be corrected.
  const isAboutMessage = command === 'RCPT TO' || command === 'DATA';
  return isAboutMessage && typeof responseCode === 'number' && responseCode >= 500;
}
