import { ApiError } from '@granary/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useConsole } from '../console.ts';
import { Button } from '../parts/button.tsx';
import { failureText } from '../parts/failure.tsx';
import { texts } from '../texts/texts.ts';

const AGAIN_MS = 1_000;
/** A person who sees nothing after a press does not know that the stop has to be pressed at the device. */
const UNANSWERED_AFTER_MS = 1_500;
/** An answer usually takes less; a stop that has to wait for a connection gets one of those of the streams. */
const ROOM_AFTER_MS = 400;

interface Props {
  /** Sends the stop; it may be sent any number of times. */
  readonly stop: () => Promise<unknown>;
  /** The service knows of the stop and waits for the device. */
  readonly isRequested: boolean;
  /** The device has confirmed the stop, so that nothing is awaited any more. */
  readonly isConfirmed?: boolean;
  readonly label: string;
  readonly text?: string;
}

/** Needs one press and no confirmation, and works whatever else the page knows: it sends the stop until it is answered. */
export function StopButton({ stop, isRequested, isConfirmed = false, label, text }: Props) {
  const { common } = texts.value;
  const { live } = useConsole();
  const state = useSignal<'ready' | 'sending' | 'unanswered' | 'sent'>('ready');
  const refusal = useSignal<string | null>(null);
  useEffect(() => {
    if (isConfirmed && state.peek() === 'sent') state.value = 'ready';
  }, [isConfirmed, state.value]);

  async function press(): Promise<void> {
    if (state.peek() === 'sending' || state.peek() === 'unanswered') return;
    state.value = 'sending';
    refusal.value = null;
    const room = setTimeout(() => live.makeRoom(), ROOM_AFTER_MS);
    const timer = setTimeout(() => {
      if (state.peek() === 'sending') state.value = 'unanswered';
    }, UNANSWERED_AFTER_MS);
    const clear = (): void => {
      clearTimeout(room);
      clearTimeout(timer);
    };
    // Goes on after the view was closed, because a person who pressed stop expects that it arrives.
    for (;;) {
      try {
        await stop();
        clear();
        state.value = 'sent';
        return;
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) {
          clear();
          state.value = 'ready';
          refusal.value = failureText(error);
          return;
        }
        state.value = 'unanswered';
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  return (
    <span class="stop">
      <Button kind="stop" label={label} onPress={() => void press()}>
        {text ?? common.stop}
      </Button>
      {state.value === 'unanswered' && (
        <span class="stop-state" role="alert">
          {common.stopUnsent}
        </span>
      )}
      {refusal.value !== null && (
        <span class="stop-state" role="alert">
          {refusal.value}
        </span>
      )}
      {(isRequested || state.value === 'sent') && state.value !== 'unanswered' && (
        <span class="stop-state" role="status">
          {common.stopRequested}
        </span>
      )}
    </span>
  );
}
