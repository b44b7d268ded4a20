import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import './field.css';

interface Props {
  readonly label: string;
  readonly hint?: string;
  /** What is wrong with the value, in words. */
  readonly fault?: string | null;
  /** The input, with the id that its label refers to. */
  readonly children: (id: string) => ComponentChildren | JSX.Element;
}

export function Field({ label, hint, fault = null, children }: Props) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
      {hint !== undefined && <p class="muted hint">{hint}</p>}
      {fault !== null && (
        <p class="refusal" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
