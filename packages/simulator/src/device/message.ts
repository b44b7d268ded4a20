import type { Checker } from '@granary/contract/input/schema';

/** What was sent to the device; nothing when it cannot be read. */
export function parseMessage<Message>(checker: Checker<Message>, payload: string): Message | undefined {
  const message = parseJson(payload);
  return checker.accepts(message) ? message : undefined;
}

export function parseJson(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}
