import type { ComponentChildren } from 'preact';
import './button.css';

interface Props {
  readonly children: ComponentChildren;
  /** `primary`: the one next step of a form; `plain`: everything else; `stop`: ends a movement. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'stop';
  readonly type?: 'button' | 'submit';
  /** What it does, where its text alone does not tell. */
  readonly label?: string;
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
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
  isDisabled,
  title,
  onPress,
}: Props) {
  return (
    <button
      class={`button ${kind}`}
      type={type}
      aria-label={label}
      aria-busy={isBusy === true}
      title={title}
      disabled={isBusy === true || isDisabled === true}
      onClick={onPress}
    >
      {children}
    </button>
  );
}
