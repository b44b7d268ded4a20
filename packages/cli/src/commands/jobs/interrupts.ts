import type { Environment } from '../../frame/environment.ts';

/** What the person at the terminal decided. */
export type InterruptChoice = 'stop' | 'leave';

export interface Interrupts {
  /** `null` while there is nothing to do but to go on. */
  choice(): InterruptChoice | null;
  isAsking(): boolean;
  end(): void;
}

const QUESTION = 'Stop it? [Y = stop, l = leave it running and quit, c = continue watching] ';

/** Ctrl+C asks once; a second Ctrl+C, any unclear answer and a missing person stop. */
export function interrupts(deviceId: string, { person, print }: Environment): Interrupts {
  let choice: InterruptChoice | null = null;
  let isAsking = false;
  const withdrawal = new AbortController();
  const onSignal = (): void => {
    if (person === undefined || isAsking) {
      choice = 'stop';
      return;
    }
    isAsking = true;
    print('');
    void person.ask(`${deviceId} is moving material. ${QUESTION}`, withdrawal.signal).then((answer) => {
      isAsking = false;
      choice ??= meaning(answer);
    });
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  return {
    choice: () => choice,
    isAsking: () => isAsking,
    end: () => {
      withdrawal.abort();
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

function meaning(answer: string | null): InterruptChoice | null {
  const letter = answer?.trim().toLowerCase().charAt(0);
  if (letter === 'c') return null;
  return letter === 'l' ? 'leave' : 'stop';
}
