import type { ComponentChildren } from 'preact';
import { useConsole } from '../../console.ts';
import { texts } from '../../texts/texts.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { Failure } from '../failure.tsx';
import { useAction } from './use-action.ts';
import './forms.css';

interface Props {
  readonly title: string;
  /** The button that does it: the verb, and on what. */
  readonly submit: string;
  /** The dialog is closed when it has succeeded, unless it says what is shown then. */
  readonly onSubmit: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly staysOpen?: boolean;
  /** What was entered cannot be sent yet. */
  readonly isIncomplete?: boolean;
  readonly children?: ComponentChildren;
}

/** A form over the view. What the service refuses is said in it, and what was entered stays. */
export function FormDialog(props: Props) {
  const { title, submit, onSubmit, onClose, staysOpen = false, isIncomplete = false, children } = props;
  const { common } = texts.value;
  const isLost = useConsole().live.connection.current.value.state === 'lost';
  const { run, isRunning, failure } = useAction();

  async function send(event: Event): Promise<void> {
    event.preventDefault();
    if ((await run(onSubmit)) && !staysOpen) onClose();
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form class="dialog-form" onSubmit={(event) => void send(event)}>
        {children}
        <Failure of={failure} />
        <div class="dialog-actions">
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={isRunning}
            isDisabled={isLost || isIncomplete}
            title={isLost ? common.notWhileOffline : ''}
          >
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
