import './field.css';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { set } from './set.ts';

/** A value of a form, and the function that changes it. */
export interface Bound<Value> {
  readonly value: Value;
  readonly onValue: (value: Value) => void;
}

/** An input that shows a signal and changes it. */
export const bound = <Value,>(signal: Signal<Value>): Bound<Value> => ({
  value: signal.value,
  onValue: (value) => set(signal, value),
});

interface TextProps extends Bound<string> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly type?: 'text' | 'email' | 'url';
  readonly isRequired?: boolean;
  readonly isFixed?: boolean;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly placeholder?: string;
  readonly autocomplete?: 'username' | 'name';
  readonly autocapitalize?: 'none';
  /** Values that the input offers; other values are possible, too. */
  readonly offered?: readonly string[];
}

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

/** A longer list has a search. */
const UNSEARCHED_MAX = 10;

/** A list of any number of choices. In a long list the chosen ones come first, and the others are found by a search. */
export function Choices({ legend, hint, options, value: chosen, onValue }: ChoicesProps) {
  const { forms } = texts.value;
  const search = useSignal('');
  /** The choices when the form was opened, so that none moves while it is pressed. */
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
            onInput={({ currentTarget }) => set(search, currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') event.preventDefault();
            }}
          />
          <span class="muted" role="status">
            {forms.chosen({ count: chosen.length, all: options.length })}
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
  /** The fault of the value in words. */
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
