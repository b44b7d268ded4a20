import { type Compiled, compiled, type Sources } from './compile.ts';
import { filled, type Message, type MessageValues } from './message.ts';
import type { Texts } from './texts.d.ts';

/** All texts of one language. */
export interface LanguageTexts extends Texts {
  /** The message of each sentence that the service sends as a code with values. */
  readonly sentences: Readonly<Record<string, Message>>;
  /** The words for the values of each set, by the name of the set. */
  readonly words: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The meaning of each error code. */
  readonly errors: Readonly<Record<string, string>>;
}

/** The sections of a catalogue as code uses them: a message with values is a function, every other one a text. */
export function languageTexts(language: string, sources: Sources): LanguageTexts {
  const { sentences, ...others } = compiled(sources);
  const texts: unknown = { ...withFunctions(language, others), sentences };
  // The types are generated from the English catalogue, and a test compares the others with it.
  return texts as LanguageTexts;
}

const withFunctions = (language: string, section: Compiled): object =>
  Object.fromEntries(
    Object.entries(section).map(([name, entry]) => {
      if (typeof entry === 'string') return [name, entry];
      return [name, isMessage(entry) ? functionOf(language, entry) : withFunctions(language, entry)];
    }),
  );

const isMessage = (entry: Message | Compiled): entry is Message =>
  typeof entry === 'string' || Array.isArray(entry);

type Values = Readonly<Record<string, string | number | boolean | null>>;

function functionOf(language: string, message: Message): (values: Values) => string {
  return (values) => filled(message, valuesFor(language, values), language) ?? '';
}

const valuesFor = (language: string, values: Values): MessageValues => ({
  value: (name) => values[name],
  text: (name) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? numberFormatOf(language).format(value) : String(value);
  },
});

const numberFormats = new Map<string, Intl.NumberFormat>();

function numberFormatOf(language: string): Intl.NumberFormat {
  const format = numberFormats.get(language) ?? new Intl.NumberFormat(language);
  numberFormats.set(language, format);
  return format;
}
