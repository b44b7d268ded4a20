import './second-press.css';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { useRootClass } from './root-class.ts';
import { set } from './set.ts';
import { SeverityMark } from './severity-mark.tsx';

/** A press before this is the second half of a double click, or a key that is still held. */
const ARMED_AFTER_MS = 700;

export interface SecondPressWords {
  /** The text of the second button: the verb, the amount, and what is unusual about the start. */
  readonly text: string;
  readonly reasons: readonly string[];
}

interface Props extends SecondPressWords {
  readonly isBusy: boolean;
  readonly onPress: () => void;
  readonly onLeave: () => void;
}

/**
 * Asks for a second press before a start with warnings, below the first button, which stays in its place. The focus is on the question
 * and not on its button, so that no key that is pressed once more starts anything.
 */
export function SecondPress({ text, reasons, isBusy, onPress, onLeave }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const isArmed = useSignal(false);
  const { common, operations } = texts.value;
  useRootClass('second-press-shown');
  useLayoutEffect(() => {
    const { activeElement } = document;
    element.current?.focus({ preventScroll: true });
    return () => {
      // The focus is not moved if the person has gone on typing elsewhere.
      const wasHere = element.current?.contains(document.activeElement) === true;
      if (wasHere && activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true });
    };
  }, []);
  const leave = useRef(onLeave);
  leave.current = onLeave;
  // The key works wherever the focus is, because a press of the mouse moves the focus back to the first button.
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      leave.current();
    };
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, []);
  useEffect(() => {
    const arm = (): void => set(isArmed, true);
    const topOf = (): number | undefined => element.current?.getBoundingClientRect().top;
    let timer = setTimeout(() => {
      const top = topOf();
      // The question is not scrolled into view earlier, because the second half of a double click would hit what moves below the pointer.
      element.current?.scrollIntoView({ block: 'nearest' });
      if (topOf() === top) arm();
      // A person who saw no effect presses the same place once more, where the second button may be now; so the button waits once more.
      else timer = setTimeout(arm, ARMED_AFTER_MS);
    }, ARMED_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be focused, and this is no part of what is filled in
    <div
      ref={element}
      class="second-press"
      role="group"
      aria-label={text}
      tabIndex={-1}
      onKeyDown={(event) => {
        // A repeated event of a key that is held does not count as a press.
        if (event.repeat && (event.key === 'Enter' || event.key === ' ')) event.preventDefault();
      }}
    >
      <div role="alert">
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>
              <SeverityMark severity="warning" text={reason} />
            </li>
          ))}
        </ul>
        <p>{operations.again.meant}</p>
      </div>
      <Button kind="primary" isBusy={isBusy} isOver={!isArmed.value} isChange onPress={onPress}>
        <span class="free-text">{text}</span>
      </Button>
      <Button onPress={onLeave}>{common.cancel}</Button>
    </div>
  );
}
