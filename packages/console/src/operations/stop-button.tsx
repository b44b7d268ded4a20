import { useEffect } from 'preact/hooks';
import { useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { failureText } from '../kit/messages.tsx';
import { texts } from '../texts/texts.ts';

interface Props {
  /** What is stopped: the id of the operation, or of the vehicle. Buttons of the same one share their state. */
  readonly of: string;
  /** Sends the stop; it may be sent any number of times. */
  readonly stop: () => Promise<unknown>;
  /** The service knows of the stop and waits for the device. */
  readonly isRequested: boolean;
  /** The device has confirmed the stop, so that nothing is awaited any more. */
  readonly isConfirmed?: boolean;
  readonly label: string;
  readonly text?: string;
  /** It is in force already, so that it need not be the loudest of the page; it can be pressed nevertheless. */
  readonly isInForce?: boolean;
}

/** Needs one press and no confirmation, and works whatever else the page knows. */
export function StopButton({
  of,
  stop,
  isRequested,
  isConfirmed = false,
  isInForce = false,
  label,
  text,
}: Props) {
  const { common } = texts.value;
  const { stops } = useConsole();
  const state = stops.of(of).value;
  useEffect(() => {
    if (isConfirmed) stops.confirm(of);
  }, [isConfirmed, of, state.step]);
  return (
    <span class="stop">
      <Button kind={isInForce ? 'plain' : 'stop'} label={label} onPress={() => void stops.press(of, stop)}>
        {text ?? common.stop}
      </Button>
      {state.step === 'unanswered' && (
        <span class="stop-state" role="alert">
          {common.stopUnsent}
        </span>
      )}
      {state.step === 'ready' && state.refusal !== null && (
        <span class="stop-state" role="alert">
          {failureText(state.refusal)}
        </span>
      )}
      {(isRequested || state.step === 'sent') && state.step !== 'unanswered' && (
        <span class="stop-state" role="status">
          {common.stopRequested}
        </span>
      )}
    </span>
  );
}
