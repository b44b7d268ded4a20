import { Field } from './field.tsx';
import type { Bound } from './inputs.tsx';

interface Props extends Bound<string> {
  readonly label: string;
  readonly hint?: string;
  readonly isRequired?: boolean;
  readonly rows?: number;
  readonly maxLength?: number;
}

/** A text of several lines. */
export const TextArea = ({ label, hint, value, onValue, isRequired = false, rows = 2, ...limits }: Props) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    {(id) => (
      <textarea
        id={id}
        rows={rows}
        required={isRequired}
        {...limits}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  </Field>
);
