import de from '../catalogue/de.json' with { type: 'json' };
import en from '../catalogue/en.json' with { type: 'json' };
import es from '../catalogue/es.json' with { type: 'json' };
import fr from '../catalogue/fr.json' with { type: 'json' };
import nl from '../catalogue/nl.json' with { type: 'json' };
import pl from '../catalogue/pl.json' with { type: 'json' };
import { type LanguageTexts, languageTexts } from './language-texts.ts';
import type { Language } from './languages.ts';

/** What the service writes itself, because its reader has no page: the mailed report, and the pages of signing in. */
export type ServiceTexts = Pick<LanguageTexts, 'mailedReport' | 'signOnPage'>;

const textsOf = (
  language: Language,
  { mailedReport, signOnPage }: Pick<typeof en, 'mailedReport' | 'signOnPage'>,
): ServiceTexts => languageTexts(language, { mailedReport, signOnPage });

const ALL: Readonly<Record<Language, ServiceTexts>> = {
  en: textsOf('en', en),
  de: textsOf('de', de),
  es: textsOf('es', es),
  fr: textsOf('fr', fr),
  nl: textsOf('nl', nl),
  pl: textsOf('pl', pl),
};

export const serviceTexts = (language: Language): ServiceTexts => ALL[language];
