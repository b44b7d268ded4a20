import type { Checker } from '@granary/contract/input/schema';

/** The decoded message; `undefined` when it is invalid. */
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
