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
  readonly children: ComponentChildren;
}

/**
 * A form over the view. The alarm bar stays visible above it. What moves is shown in it too, because a stop must be within
 * reach while nothing else can be pressed. Escape closes it.
 */
export function Dialog({ title, onClose, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
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
        onClose();
      }}
    >
      <div class="dialog-top">
        <header>
          <h2 class="free-text" title={title}>
            {title}
          </h2>
          <Button kind="quiet" label={texts.value.common.close} onPress={onClose}>
            ✕
          </Button>
        </header>
        <MovementStrip />
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
