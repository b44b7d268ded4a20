import { Field } from './field.tsx';
import type { Bound } from './inputs.tsx';

interface Props extends Bound<string> {
  readonly label: string;
  readonly hint?: string;
  readonly isRequired?: boolean;
}

/** A text of several lines. */
export const TextArea = ({ label, hint, value, onValue, isRequired = false }: Props) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    {(id) => (
      <textarea
        id={id}
        rows={2}
        required={isRequired}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  </Field>
);
