import type { ComponentChildren } from 'preact';
import { useIsLost } from '../context/console.ts';
import { texts } from '../texts.ts';
import './button.css';

interface Props {
  readonly children: ComponentChildren;
  /** `primary`: the next step of a form; `plain`: everything else; `stop`: ends a movement. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'stop';
  readonly type?: 'button' | 'submit';
  /** What the button does, where its text alone does not say it. */
  readonly label?: string;
  readonly isBusy?: boolean;
  /** True when there is nothing to press any more; the focus stays on the button. */
  readonly isOver?: boolean;
  readonly isDisabled?: boolean;
  /** True when the button changes something, which is not possible while the connection is lost. */
  readonly isChange?: boolean;
  /** Why the button cannot be pressed, or what pressing it means. */
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
      // The button is not `disabled`, because a disabled element loses the focus and does not get it back a moment later.
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
