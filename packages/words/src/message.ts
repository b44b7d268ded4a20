/** A message of a catalogue after it was parsed: texts, values and choices in their order. */
export type Message = string | readonly Part[];

type Part = string | ValuePart | ChoicePart;

/** The place of a value; with `isCapital` its first letter is written large, because it begins a sentence. */
export interface ValuePart {
  readonly value: string;
  readonly isCapital?: true;
}

/** One of several forms, chosen by a number or by a word. */
export interface ChoicePart {
  readonly value: string;
  readonly choice: 'plural' | 'select';
  readonly forms: Readonly<Record<string, Message>>;
}

/** The values of a message for one reader. */
export interface MessageValues {
  /** The value itself, by which a form is chosen. */
  value(name: string): unknown;
  /** The value as it is written; `null` if there is none that can be written. */
  text(name: string): string | null;
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const pluralRules = new Map<string, Intl.PluralRules>();

/** The rules of a language for words after a number. They are cached, because making them takes longer than using them. */
export function pluralRulesOf(language: string): Intl.PluralRules {
  const rules = pluralRules.get(language) ?? new Intl.PluralRules(language);
  pluralRules.set(language, rules);
  return rules;
}

/** The message with its values; `null` if a value of the chosen forms is missing. */
export function filled(message: Message, values: MessageValues, language: string): string | null {
  if (typeof message === 'string') return message;
  let whole = '';
  for (const part of message) {
    const text = partText(part, values, language);
    if (text === null) return null;
    whole += text;
  }
  return whole;
}

function partText(part: Part, values: MessageValues, language: string): string | null {
  if (typeof part === 'string') return part;
  if ('choice' in part) return filled(formFor(part, values.value(part.value), language), values, language);
  const text = values.text(part.value);
  return text !== null && part.isCapital ? capitalized(text) : text;
}

/** The form `none` is for a missing or empty value, and never for the text "none". */
function formFor({ choice, forms }: ChoicePart, value: unknown, language: string): Message {
  if (choice === 'select') return formNamed(forms, nameOfForm(value));
  const count = Number(value);
  return forms[`=${count}`] ?? formNamed(forms, pluralRulesOf(language).select(count));
}

function nameOfForm(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  return value === 'none' ? 'other' : String(value);
}

const formNamed = (forms: ChoicePart['forms'], name: string): Message =>
  (Object.hasOwn(forms, name) ? forms[name] : forms['other']) ?? '';
