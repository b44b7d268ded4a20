import { ERROR_TEXTS } from '@granary/contract/error-texts';

/** What to do about a refusal at the command line, where it differs from what a program does. */
const CURES: Readonly<Record<string, string>> = {
  unauthorized:
    'The key is unknown, revoked or expired: `granary login` stores another one, GRANARY_API_KEY sets it for one command.',
  forbidden: 'Use a key with the scope that is named; `granary keys create` issues one.',
  invalid_input: 'Nothing was changed.',
  device_not_found: '`granary devices` lists the devices that the key may see.',
  alert_not_found: '`granary alerts --status all` lists all alerts.',
  key_not_found: '`granary keys list` lists the keys; the id is not the key itself.',
  webhook_not_found: '`granary webhooks list` lists them.',
  device_offline:
    'Wait until the device is connected again: `granary device show <id>` tells when it was last seen.',
  operation_in_progress: '`granary device show <id>` shows what runs, `granary stop <id>` stops it.',
  emergency_stop_active: 'Look at the device, then release it with `granary release <id>`.',
  rate_limited: 'Wait a moment and repeat the command.',
  storage_unavailable: 'The database does not answer: `granary doctor` on its machine says more.',
};

const textOf = <Text>(texts: Readonly<Record<string, Text>>, code: string): Text | undefined =>
  Object.hasOwn(texts, code) ? texts[code] : undefined;

export const cureOf = (code: string): string | undefined =>
  textOf(CURES, code) ?? textOf(ERROR_TEXTS, code)?.cure;
