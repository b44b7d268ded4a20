import { type App, openApp, type StoreLocation } from '@granary/app/app';
import type { Effect } from '@granary/app/effects';

const recordedOf = new WeakMap<App, Effect[]>();

/** Opens an app that carries out no effects, but records them. */
export async function openRecordingApp(location: StoreLocation): Promise<App> {
  const recorded: Effect[] = [];
  const app = await openApp(location, async (effects) => recorded.push(...effects) >= 0);
  recordedOf.set(app, recorded);
  return app;
}

/** Returns the result of the work, and the effects of all writes during it. */
export async function effectsDuring<Result>(
  app: App,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly effects: readonly Effect[] }> {
  const recorded = recordedOf.get(app);
  if (recorded === undefined) throw new Error('the effects of this app are not recorded');
  const start = recorded.length;
  const result = await work();
  return { result, effects: recorded.slice(start) };
}

export type SentMessage = Extract<Effect, { readonly kind: 'send_message' }>;

export const sentIn = (effects: readonly Effect[]): SentMessage[] =>
  effects.filter((effect) => effect.kind === 'send_message');

export const evaluatedIn = (effects: readonly Effect[]): number[] =>
  effects.flatMap((effect) => (effect.kind === 'evaluate_alerts' ? effect.deviceNos : []));
