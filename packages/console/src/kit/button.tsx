import type { ComponentChildren } from 'preact';
import { useIsLost } from '../context/console.ts';
import { texts } from '../texts/texts.ts';
import './button.css';

interface Props {
  readonly children: ComponentChildren;
  /** `primary`: the one next step of a form; `plain`: everything else; `stop`: ends a movement. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'stop';
  readonly type?: 'button' | 'submit';
  /** What it does, where its text alone does not tell. */
  readonly label?: string;
  readonly isBusy?: boolean;
  /** There is nothing to press any more; the focus stays where it is. */
  readonly isOver?: boolean;
  readonly isDisabled?: boolean;
  /** It changes something, which is not possible while the connection is lost. */
  readonly isChange?: boolean;
  /** Why it cannot be pressed, or what pressing it means. */
  readonly title?: string;
  readonly onPress?: () => void;
}

export function Button({
  children,
  kind = 'plain',
  type = 'button',
  label,
  isBusy,
  isOver,
  isDisabled,
  isChange = false,
  title,
  onPress,
}: Props) {
  const isLost = useIsLost() && isChange;
  const isIdle = isBusy === true || isOver === true;
  return (
    <button
      class={`button ${kind}`}
      type={type}
      aria-label={label}
      aria-busy={isBusy === true}
      // What is disabled loses the focus, and would not have it again a moment later.
      aria-disabled={isIdle ? true : undefined}
      title={isLost ? texts.value.common.notWhileOffline : title}
      disabled={isDisabled === true || isLost}
      onClick={(event) => {
        if (isIdle) event.preventDefault();
        else onPress?.();
      }}
    >
      {children}
    </button>
  );
}
