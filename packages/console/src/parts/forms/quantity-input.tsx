import { Field } from './field.tsx';
import type { Bound } from './inputs.tsx';

interface Props extends Bound<string> {
  readonly label: string;
  readonly hint?: string;
  readonly isRequired?: boolean;
  readonly placeholder?: string;
}

/** A quantity, with decimals. Turning the wheel over it scrolls the page and does not change the quantity. */
export const QuantityInput = ({ label, hint, value, onValue, isRequired = false, ...more }: Props) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    {(id) => (
      <input
        id={id}
        type="number"
        inputMode="decimal"
        min="0"
        step="any"
        required={isRequired}
        {...more}
        value={value}
        onWheel={({ currentTarget }) => currentTarget.blur()}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  </Field>
);
