import './dialog.css';
import { set } from './set.ts';
import './inputs.css';
import { useSignal } from '@preact/signals';
import { type ComponentChildren, type ComponentType, createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { useAction } from './form-state.ts';
import { Failure } from './messages.tsx';
import { SecondPress, type SecondPressWords } from './second-press.tsx';

const FIRST_FIELD = '.dialog-body :is(input:not([hidden]), select, textarea)';

/** The contents that the shell shows at the top of every dialog: the movements with their stops. */
export const DialogTop = createContext<ComponentType>(() => null);

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  /** The question before Escape or the cross closes the dialog, where an input would be lost. */
  readonly question?: string;
  /** `foot`: at the foot of the window, so that the view behind the dialog can be read. */
  readonly place?: 'top' | 'foot';
  readonly children: ComponentChildren;
}

/**
 * A form over the view. The alarm bar stays visible above it. The movements are shown in it too, because a stop must be within reach
 * while nothing else can be pressed. Escape closes the dialog.
 */
export function Dialog({ title, onClose, question, place = 'top', children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const isAsked = useSignal(false);
  const Top = useContext(DialogTop);
  const { common } = texts.value;
  const leave = (): void => {
    if (question === undefined) onClose();
    else isAsked.value = true;
  };
  // This runs before the next key, because text that is typed directly after a press belongs to the first field.
  useLayoutEffect(() => {
    const { activeElement } = document;
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    // A person who opened the dialog with the keyboard continues at the same place.
    return () => {
      if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${place === 'foot' ? 'at-foot' : ''}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
    >
      <div class="dialog-top">
        <header>
          <h2 class="free-text" title={title}>
            {title}
          </h2>
          <Button kind="quiet" label={common.close} onPress={leave}>
            ✕
          </Button>
        </header>
        <Top />
      </div>
      {isAsked.value && (
        <div class="dialog-question" role="alert">
          <p>
            <strong>{question}</strong>
          </p>
          <div class="dialog-actions">
            <Button onPress={onClose}>{common.close}</Button>
            <Button kind="primary" onPress={() => set(isAsked, false)}>
              {common.keepOpen}
            </Button>
          </div>
        </div>
      )}
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

interface FormDialogProps {
  readonly title: string;
  /** The text of the button that sends the form: the verb, and its object. */
  readonly submit: string;
  /** The dialog is closed after this has succeeded, unless `staysOpen` is set. */
  readonly onSubmit: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly staysOpen?: boolean;
  /** True when the input cannot be sent yet. */
  readonly isIncomplete?: boolean;
  /** The words of a second press, when one is needed; `null`: one press is enough. */
  readonly again?: SecondPressWords | null;
  readonly children?: ComponentChildren;
}

/** A form over the view. It shows a refusal of the service, and keeps what was entered. */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    submit,
    onSubmit,
    onClose,
    staysOpen = false,
    isIncomplete = false,
    again = null,
    children,
  } = props;
  const { common } = texts.value;
  const { run, isRunning, failure } = useAction();
  const isAsked = useSignal(false);
  const question = isAsked.value ? again : null;

  async function send(): Promise<void> {
    if ((await run(onSubmit)) && !staysOpen) onClose();
  }

  function press(event: Event): void {
    event.preventDefault();
    if (question !== null) return;
    if (again === null) void send();
    else isAsked.value = true;
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form class={`dialog-form ${question === null ? '' : 'asked-again'}`} onSubmit={press}>
        {children}
        <Failure of={failure} />
        <div class="dialog-actions">
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={isRunning}
            isOver={question !== null}
            isChange
            isDisabled={isIncomplete}
          >
            {submit}
          </Button>
        </div>
        {question !== null && (
          <SecondPress
            {...question}
            isBusy={isRunning}
            onPress={() => void send()}
            onLeave={() => set(isAsked, false)}
          />
        )}
      </form>
    </Dialog>
  );
}

interface DialogButtonProps {
  readonly text: string;
  /** What the button does, where its text alone does not say it. */
  readonly label?: string;
  readonly kind?: 'primary' | 'plain' | 'quiet';
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button that opens a dialog; not while the connection is lost, because a dialog is there to change something. */
export function DialogButton({ text, label, kind, children }: DialogButtonProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <Button
        {...(kind === undefined ? {} : { kind })}
        {...(label === undefined ? {} : { label })}
        isChange
        onPress={() => set(isOpen, true)}
      >
        {text}
      </Button>
      {isOpen.value && children(() => set(isOpen, false))}
    </>
  );
}

interface ConfirmButtonProps {
  readonly text: string;
  /** What the button does, with its object; this is also the title of the question. */
  readonly label: string;
  /** What the confirmation causes. */
  readonly means: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly children?: ComponentChildren;
}

/** A button that does something after the person has read what it causes. */
export const ConfirmButton = ({ text, label, means, onConfirm, children }: ConfirmButtonProps) => (
  <DialogButton text={text} label={label}>
    {(close) => (
      <FormDialog title={label} submit={text} onSubmit={onConfirm} onClose={close}>
        <p>{means}</p>
        {children}
      </FormDialog>
    )}
  </DialogButton>
);
