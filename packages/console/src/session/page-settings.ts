import type { ConsoleSettings } from '@granary/contract/console';

/** What the page must know of its service before anybody has signed in; `null` where the service does not answer. */
export async function readPageSettings(): Promise<ConsoleSettings | null> {
  try {
    const response = await fetch('/console.json');
    return response.ok ? (await response.json()).data : null;
  } catch {
    return null;
  }
}
