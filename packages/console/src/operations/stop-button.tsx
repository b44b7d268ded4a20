import { useEffect } from 'preact/hooks';
import { useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { failureText } from '../kit/messages.tsx';
import { texts } from '../texts.ts';

interface PressProps {
  /** The id of the operation, or of the vehicle, that is stopped. Buttons with the same id share their state. */
  readonly of: string;
  /** Sends the stop; it may be sent any number of times. */
  readonly stop: () => Promise<unknown>;
  /** True when the device has confirmed the stop, so that nothing is awaited any more. */
  readonly isConfirmed?: boolean;
  readonly label: string;
  readonly text?: string;
  /** True when the stop is already in force, so that the button need not be conspicuous; it can still be pressed. */
  readonly isInForce?: boolean;
  /** True when the movement has ended: nothing can be pressed here, and no other stop appears at this place. */
  readonly isOver?: boolean;
}

interface Props extends PressProps {
  /** True when the service knows of the stop and waits for the device. */
  readonly isRequested: boolean;
}

/** Stops with one press and no confirmation, whatever else the page knows. */
export const StopButton = ({ isRequested, ...press }: Props) => (
  <span class="stop">
    <StopPress {...press} />
    <StopProgress of={press.of} isRequested={isRequested} />
  </span>
);

/** The button alone, for places where the state of the stop is shown elsewhere. */
export function StopPress(props: PressProps) {
  const { of, stop, isConfirmed = false, isInForce = false, isOver = false, label, text } = props;
  const { stops } = useConsole();
  const { step } = stops.of(of).value;
  useEffect(() => {
    if (isConfirmed) stops.confirm(of);
  }, [isConfirmed, of, step]);
  return (
    <Button
      kind={isInForce || isOver ? 'plain' : 'stop'}
      label={label}
      isOver={isOver}
      onPress={() => void stops.press(of, stop)}
    >
      {text ?? texts.value.common.stop}
    </Button>
  );
}

/** Shows the state of a stop that was pressed, until the device has confirmed. */
export function StopProgress({ of, isRequested }: Pick<Props, 'of' | 'isRequested'>) {
  const { common } = texts.value;
  const state = useConsole().stops.of(of).value;
  return (
    <>
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
    </>
  );
}
