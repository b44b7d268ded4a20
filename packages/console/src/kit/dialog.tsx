import './dialog.css';
import './inputs.css';
import { useSignal } from '@preact/signals';
import { type ComponentChildren, type ComponentType, createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { useAction } from './form-state.ts';
import { Failure } from './messages.tsx';
import { SecondPress, type SecondPressWords } from './second-press.tsx';

const FIRST_FIELD = '.dialog-body :is(input:not([hidden]), select, textarea)';

/** What the shell shows at the top of every dialog: the movements with their stops. */
export const DialogTop = createContext<ComponentType>(() => null);

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  /** Asked before Escape or the cross closes the dialog, where something would be lost. */
  readonly question?: string;
  /** At the foot of the window what is behind it can be read. */
  readonly place?: 'top' | 'foot';
  readonly children: ComponentChildren;
}

/**
 * A form over the view. The alarm bar stays visible above it. What moves is shown in it too, because a stop must be within
 * reach while nothing else can be pressed. Escape closes it.
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
  // Before the next key: what is typed at once after a press belongs to the first field.
  useLayoutEffect(() => {
    const { activeElement } = document;
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    // Who opened it with the keyboard goes on where they were.
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
            <Button
              kind="primary"
              onPress={() => {
                isAsked.value = false;
              }}
            >
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
  /** The button that does it: the verb, and on what. */
  readonly submit: string;
  /** The dialog is closed when it has succeeded, unless it says what is shown then. */
  readonly onSubmit: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly staysOpen?: boolean;
  /** What was entered cannot be sent yet. */
  readonly isIncomplete?: boolean;
  /** It takes a second press; `null`: one is enough. */
  readonly again?: SecondPressWords | null;
  readonly children?: ComponentChildren;
}

/** A form over the view. What the service refuses is said in it, and what was entered stays. */
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
            onLeave={() => {
              isAsked.value = false;
            }}
          />
        )}
      </form>
    </Dialog>
  );
}

interface DialogButtonProps {
  readonly text: string;
  /** What it does, where its text alone does not tell. */
  readonly label?: string;
  readonly kind?: 'primary' | 'plain' | 'quiet';
  readonly children: (close: () => void) => ComponentChildren;
}

/** Opens a dialog; not while the connection is lost, because a dialog is there to change something. */
export function DialogButton({ text, label, kind, children }: DialogButtonProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <Button
        {...(kind === undefined ? {} : { kind })}
        {...(label === undefined ? {} : { label })}
        isChange
        onPress={() => {
          isOpen.value = true;
        }}
      >
        {text}
      </Button>
      {isOpen.value &&
        children(() => {
          isOpen.value = false;
        })}
    </>
  );
}

interface ConfirmButtonProps {
  readonly text: string;
  /** What it does with what; also the title of the question. */
  readonly label: string;
  /** What confirming it means. */
  readonly means: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly children?: ComponentChildren;
}

/** Does something after the person has read what that means. */
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
