import { useEffect } from 'preact/hooks';
import { useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { failureText } from '../kit/messages.tsx';
import { texts } from '../texts/texts.ts';

interface PressProps {
  /** What is stopped: the id of the operation, or of the vehicle. Buttons of the same one share their state. */
  readonly of: string;
  /** Sends the stop; it may be sent any number of times. */
  readonly stop: () => Promise<unknown>;
  /** The device has confirmed the stop, so that nothing is awaited any more. */
  readonly isConfirmed?: boolean;
  readonly label: string;
  readonly text?: string;
  /** It is in force already, so that it need not be the loudest of the page; it can be pressed nevertheless. */
  readonly isInForce?: boolean;
  /** What was to be stopped has ended: nothing can be pressed here, and no other stop comes to this place. */
  readonly isOver?: boolean;
}

interface Props extends PressProps {
  /** The service knows of the stop and waits for the device. */
  readonly isRequested: boolean;
}

/** Needs one press and no confirmation, and works whatever else the page knows. */
export const StopButton = ({ isRequested, ...press }: Props) => (
  <span class="stop">
    <StopPress {...press} />
    <StopProgress of={press.of} isRequested={isRequested} />
  </span>
);

/** The button alone, where what has become of the stop is told elsewhere. */
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

/** What has become of a stop that was pressed: it is told until the device has confirmed. */
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
