/** A text for each plural form of the language; `#` is the number. */
type Forms<Language extends string> = Readonly<Record<'one' | 'other', string>> &
  (Language extends 'pl' ? Readonly<Record<'few' | 'many', string>> : unknown);

/**
 * How the texts of a language write a number with the words that depend on it. This module imports nothing of the page, because the page
 * waits for the texts.
 */
export const pluralOf = <Language extends string>(language: Language) => {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (count: number, forms: Forms<Language>): string => {
    const all: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = forms;
    return (all[rules.select(count)] ?? forms.other).replaceAll('#', numbers.format(count));
  };
};
