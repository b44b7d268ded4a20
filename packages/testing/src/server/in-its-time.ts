import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 500;
const TRIES = 20;

interface Answered {
  readonly text: string;
  readonly body: { readonly error?: { readonly code: string } } | null;
}

/** The refusals after which a request may be sent again. */
const ASKED_AGAIN = /nothing was changed|the forecast takes too long/;

/** Repeats a request while the machine is too busy for the time limits of the service. */
export async function inItsTime<Answer extends Answered>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask();
    const isBusy = answer.body?.error?.code === 'storage_unavailable' && ASKED_AGAIN.test(answer.text);
    if (!isBusy || attempt === TRIES) return answer;
    await sleep(PAUSE_MS);
  }
}
