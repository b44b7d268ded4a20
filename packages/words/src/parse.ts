import type { ChoicePart, Message, ValuePart } from './message.ts';

const ARGUMENT = /\{\s*(\w+)\s*(?:,\s*(plural|select)\s*,\s*)?/y;
const FORM = /\s*(=\d+|\w+)\s*\{/y;
const END = /\s*\}/y;
/** Text up to the next sign that means something; an apostrophe means something before a brace or another apostrophe only. */
const TEXT = /''|'([{}#](?:[^']|'')*)(?:'|$)|[^{}#']+|'/y;

/**
 * Parses a message in the part of ICU MessageFormat that the catalogues use: values, `plural`, `select`, and `#` for the number of
 * a plural. A value whose name begins with a capital letter is written with one.
 */
export function parsed(text: string): Message {
  let at = 0;

  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  const failure = (): Error => new Error(`not a message at ${at}: ${text}`);

  /** Reads up to the brace that ends a form, or to the end of the text. */
  function message(counted: string | null): Message {
    const parts: (string | ValuePart | ChoicePart)[] = [];
    const add = (literal: string): void => {
      const last = parts.at(-1);
      if (typeof last === 'string') parts[parts.length - 1] = last + literal;
      else parts.push(literal);
    };
    for (;;) {
      const sign = text.charAt(at);
      if (sign === '' || sign === '}') break;
      if (sign === '{') parts.push(argument(counted));
      else if (sign === '#') {
        at += 1;
        if (counted === null) add('#');
        else parts.push(placeOf(counted));
      } else add(literalText(counted));
    }
    const [first] = parts;
    if (first === undefined) return '';
    return parts.length === 1 && typeof first === 'string' ? first : parts;
  }

  function literalText(counted: string | null): string {
    const [all = '', quoted] = next(TEXT) ?? [];
    if (all === "''") return "'";
    if (quoted === undefined) return all;
    if (quoted.startsWith('#') && counted === null) {
      at -= all.length - 1;
      return "'";
    }
    return quoted.replaceAll("''", "'");
  }

  function argument(counted: string | null): ValuePart | ChoicePart {
    const [, name = '', choice] = next(ARGUMENT) ?? [];
    if (name === '') throw failure();
    if (choice !== 'plural' && choice !== 'select') {
      if (next(END) === null) throw failure();
      return placeOf(name);
    }
    const forms: Record<string, Message> = {};
    for (let form = next(FORM); form !== null; form = next(FORM)) {
      forms[form[1] ?? ''] = message(choice === 'plural' ? name : counted);
      if (next(END) === null) throw failure();
    }
    if (next(END) === null || !Object.hasOwn(forms, 'other')) throw failure();
    return { value: name, choice, forms };
  }

  const whole = message(null);
  if (at < text.length) throw failure();
  return whole;
}

function placeOf(name: string): ValuePart {
  const first = name.charAt(0).toLowerCase();
  return name.startsWith(first) ? { value: name } : { value: first + name.slice(1), isCapital: true };
}
