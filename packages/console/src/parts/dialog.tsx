import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { MovementStrip } from '../frame/movement-strip.tsx';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import './dialog.css';

const FIRST_FIELD = '.dialog-body :is(input, select, textarea)';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  /** Asked before Escape or the cross closes the dialog, where something would be lost. */
  readonly question?: string;
  readonly children: ComponentChildren;
}

/**
 * A form over the view. The alarm bar stays visible above it. What moves is shown in it too, because a stop must be within
 * reach while nothing else can be pressed. Escape closes it.
 */
export function Dialog({ title, onClose, question, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const isAsked = useSignal(false);
  const { common } = texts.value;
  const leave = (): void => {
    if (question === undefined) onClose();
    else isAsked.value = true;
  };
  useEffect(() => {
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
  }, []);
  return (
    <dialog
      ref={element}
      class="dialog"
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
        <MovementStrip />
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
