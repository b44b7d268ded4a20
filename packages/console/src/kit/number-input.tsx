import { type Conversion, fieldNumber, shownAs } from '../context/units.ts';
import { locale, texts } from '../texts.ts';
import { EntryBox, type EntryProps, MEANS, type Notation } from './entry-box.tsx';
import { unitSymbol } from './format.ts';
import { Field } from './inputs.tsx';
import { groupedText, numberListsIn, numbersIn, numberText } from './number-entry.ts';

interface NumberKind {
  /** The unit in which the form holds the number. */
  readonly unit?: string;
  /** The silo whose product defines a bushel. */
  readonly deviceId?: string | null;
  /** True when the person has chosen the unit, so nothing is converted. */
  readonly isExact?: boolean;
  /** The minimum in the unit of the form. */
  readonly min?: number;
  readonly max?: number;
  readonly isWhole?: boolean;
}

/** A field for a number, without a label of its own; the form holds the number as JavaScript writes it. */
export const NumberBox = (props: NumberKind & EntryProps) => (
  <EntryBox {...props} notation={notationOf(props)} inputMode="decimal" />
);

interface InputProps extends NumberKind, Omit<EntryProps, 'id' | 'name'> {
  readonly label: string;
  readonly hint?: string | undefined;
}

/** A field for a number in the unit of the person, which the label names. */
export function NumberInput({ label, hint, ...box }: InputProps) {
  const { unit = '', deviceId = null, isExact = false } = box;
  const shown = unitSymbol(shownAs(unit, deviceId).unit);
  const named = isExact || shown === '' ? label : texts.value.common.inUnit({ name: label, unit: shown });
  return (
    <Field label={named} hint={hint}>
      {(id) => <NumberBox {...box} id={id} />}
    </Field>
  );
}

const UNCONVERTED = { toShown: (value: number) => value, toStored: (value: number) => value };

/** A field for several numbers; the form holds them separated by commas. */
export const NumbersBox = (props: NumberKind & EntryProps) => (
  <EntryBox {...props} notation={listNotationOf(props)} />
);

function listNotationOf(kind: NumberKind): Notation {
  const one = notationOf(kind);
  const each = (value: string, of: (item: string) => string): string => value.split(',').map(of).join('; ');
  const { unit = '', deviceId = null } = kind;
  const { toStored } = shownAs(unit, deviceId);
  return {
    read: (text) =>
      numberListsIn(text, { unit: one.suffix, language: locale.value }).map((list) =>
        list.map(toStored).join(','),
      ),
    write: (value) => each(value, one.write),
    say: (value) => each(value, one.say),
    faultOf: (value) =>
      value
        .split(',')
        .map(one.faultOf)
        .find((fault) => fault !== null) ?? null,
    unreadable: one.unreadable,
    echo: (text, value, isTyped) =>
      !isTyped || text === each(value, one.write) ? one.suffix : `${MEANS}${each(value, one.say)}`,
    suffix: one.suffix,
  };
}

function notationOf(kind: NumberKind): Notation {
  const { unit = '', deviceId = null, isExact = false } = kind;
  const { forms } = texts.value;
  const language = locale.value;
  const conversion: Conversion = isExact ? { ...UNCONVERTED, unit } : shownAs(unit, deviceId);
  const symbol = unitSymbol(conversion.unit);
  const { min = 0, max = Number.POSITIVE_INFINITY, isWhole = false } = kind;
  const shownOf = (stored: number): number =>
    conversion.unit === unit ? stored : fieldNumber(conversion.toShown(stored));
  const said = (stored: number): string => {
    const text = groupedText(shownOf(stored), language);
    return symbol === '' ? text : `${text}\u00a0${symbol}`;
  };
  const faultOf = (stored: number): string | null => {
    if (isWhole && !Number.isInteger(stored)) return forms.wholeNumber;
    if (stored < min) return forms.atLeast({ value: said(min) });
    return stored > max ? forms.atMost({ value: said(max) }) : null;
  };
  return {
    read: (text) => {
      const found = numbersIn(text, { unit: symbol, language }).map(conversion.toStored);
      // A number that is not allowed does not count as a second meaning.
      const possible = found.length > 1 ? found.filter((one) => faultOf(one) === null) : found;
      return (possible.length === 0 ? found.slice(0, 1) : possible).map(String);
    },
    write: (value) => numberText(shownOf(Number(value)), language),
    say: (value) => said(Number(value)),
    faultOf: (value) => faultOf(Number(value)),
    unreadable: forms.notANumber({ unit: symbol }),
    echo: (text, value, isTyped) => {
      const plain = groupedText(shownOf(Number(value)), language);
      return !isTyped || text === plain || text === said(Number(value))
        ? symbol
        : `${MEANS}${said(Number(value))}`;
    },
    suffix: symbol,
  };
}
