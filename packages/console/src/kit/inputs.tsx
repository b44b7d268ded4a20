import './field.css';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { shownAs, shownText, storedText } from '../context/units.ts';
import { texts } from '../texts/texts.ts';
import { unitSymbol } from './format.ts';

/** What a form holds: its value, and how it is changed. */
export interface Bound<Value> {
  readonly value: Value;
  readonly onValue: (value: Value) => void;
}

/** An input that shows a signal and changes it. */
export const bound = <Value,>(signal: Signal<Value>): Bound<Value> => ({
  value: signal.value,
  onValue: (value) => {
    signal.value = value;
  },
});

interface TextProps extends Bound<string> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly type?: 'text' | 'number' | 'email' | 'url' | 'date' | 'datetime-local' | 'time';
  readonly isRequired?: boolean;
  readonly isFixed?: boolean;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly placeholder?: string;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | 'any';
  readonly inputMode?: 'decimal';
  /** Values that are offered, besides any other. */
  readonly offered?: readonly string[];
}

/** Turning the wheel over a number scrolls the page and does not change the number. */
export function TextInput({
  label,
  hint,
  value,
  onValue,
  isRequired = false,
  isFixed = false,
  offered,
  ...limits
}: TextProps) {
  const listId = useId();
  return (
    <Field label={label} hint={hint}>
      {(id) => (
        <>
          <input
            id={id}
            type="text"
            required={isRequired}
            readOnly={isFixed}
            maxLength={200}
            {...limits}
            {...(offered === undefined ? {} : { list: listId })}
            value={value}
            onWheel={({ currentTarget }) => limits.type === 'number' && currentTarget.blur()}
            onInput={({ currentTarget }) => onValue(currentTarget.value)}
          />
          {offered !== undefined && (
            <datalist id={listId}>
              {offered.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

interface PasswordProps extends Bound<string> {
  readonly label: string;
  readonly hint?: string;
  readonly autocomplete: 'current-password' | 'new-password' | 'off';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

export const PasswordInput = ({ label, hint, value, onValue, ...more }: PasswordProps) => (
  <Field label={label} hint={hint}>
    {(id) => (
      <input
        id={id}
        type="password"
        required
        maxLength={200}
        {...more}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  </Field>
);

/** A quantity, with decimals. */
export const QuantityInput = (props: Omit<TextProps, 'type'>) => (
  <TextInput type="number" inputMode="decimal" min={0} step="any" {...props} />
);

/** Whose text is that of a stored number; the person reads and types it in their unit. What nobody types stays exactly as it was. */
export function useShown(
  { value: stored, onValue }: Bound<string>,
  storedUnit: string,
  deviceId: string | null,
): Bound<string> & { readonly unit: string } {
  const typed = useRef({ text: '', stored: '', unit: '' });
  const shown = shownAs(storedUnit, deviceId);
  const { unit } = shown;
  if (unit === storedUnit) return { value: stored, onValue, unit };
  const isTyped = typed.current.stored === stored && typed.current.unit === unit;
  return {
    unit,
    value: isTyped ? typed.current.text : shownText(stored, shown),
    onValue: (text) => {
      typed.current = { text, stored: storedText(text, shown), unit };
      onValue(typed.current.stored);
    },
  };
}

interface StoredProps extends Omit<TextProps, 'type'> {
  /** In which the value is kept. */
  readonly unit: string;
  /** The silo whose bushels they are. */
  readonly deviceId?: string | null;
}

/** A quantity in the unit of the person, which its label names. */
export function StoredQuantityInput({ unit, deviceId = null, label, value, onValue, ...more }: StoredProps) {
  const { unit: shownUnit, ...shown } = useShown({ value, onValue }, unit, deviceId);
  const named = texts.value.common.inUnit(label, unitSymbol(shownUnit));
  return <QuantityInput {...more} label={named} {...shown} />;
}

interface TextAreaProps extends Bound<string> {
  readonly label: string;
  readonly hint?: string;
  readonly isRequired?: boolean;
  readonly rows?: number;
  readonly maxLength?: number;
}

/** A text of several lines. */
export const TextArea = ({ label, hint, value, onValue, isRequired = false, ...size }: TextAreaProps) => (
  <Field label={label} hint={hint}>
    {(id) => (
      <textarea
        id={id}
        rows={2}
        required={isRequired}
        {...size}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    )}
  </Field>
);

interface SelectProps extends Bound<string> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly options: readonly (readonly [value: string, text: string])[];
}

export const SelectInput = ({ label, hint, value, onValue, options }: SelectProps) => (
  <Field label={label} hint={hint}>
    {(id) => (
      <select id={id} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
);

interface CheckProps extends Bound<boolean> {
  readonly label: string;
  readonly hint?: string | undefined;
}

export function CheckInput({ label, hint, value, onValue }: CheckProps) {
  return (
    <div class="check-input">
      <label>
        <input
          type="checkbox"
          checked={value}
          onChange={({ currentTarget }) => onValue(currentTarget.checked)}
        />
        {label}
      </label>
      {hint !== undefined && <p class="muted hint">{hint}</p>}
    </div>
  );
}

interface ChoicesProps extends Bound<readonly string[]> {
  readonly legend: string;
  readonly hint?: string | undefined;
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** More than these are searched and not read. */
const UNSEARCHED_MAX = 10;

/** Any number of choices. Of many, those that were chosen come first, and the others are found by a search. */
export function Choices({ legend, hint, options, value: chosen, onValue }: ChoicesProps) {
  const { forms } = texts.value;
  const search = useSignal('');
  /** As it was when the form was opened, so that no choice moves while it is pressed. */
  const [first] = useState(() => new Set(chosen));
  const isSearched = options.length > UNSEARCHED_MAX;
  const wanted = search.value.trim().toLowerCase();
  const shown = isSearched
    ? options
        .filter(([name, text]) => chosen.includes(name) || text.toLowerCase().includes(wanted))
        .toSorted(([one], [other]) => Number(first.has(other)) - Number(first.has(one)))
    : options;
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {hint !== undefined && <p class="muted hint">{hint}</p>}
      {isSearched && (
        <div class="choices-search">
          <input
            type="search"
            aria-label={`${legend}: ${forms.search}`}
            placeholder={forms.search}
            value={search.value}
            onInput={({ currentTarget }) => {
              search.value = currentTarget.value;
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') event.preventDefault();
            }}
          />
          <span class="muted" role="status">
            {forms.chosen(chosen.length, options.length)}
          </span>
        </div>
      )}
      <div>
        {shown.map(([name, text]) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ currentTarget }) => {
                const others = chosen.filter((one) => one !== name);
                onValue(currentTarget.checked ? [...others, name] : others);
              }}
            />
            <span class="free-text">{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface Props {
  readonly label: string;
  readonly hint?: string | undefined;
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
