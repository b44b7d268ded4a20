import { type LanguageTexts, languageTexts } from './language-texts.ts';
import { LANGUAGES, type Language, loadCatalogue } from './languages.ts';

/** What the service writes itself, because its reader has no page: the mailed report, and the pages of signing in. */
export type ServiceTexts = Pick<LanguageTexts, 'mailedReport' | 'signOnPage'>;

const textsOf = async (language: Language): Promise<[Language, ServiceTexts]> => {
  const { mailedReport = {}, signOnPage = {} } = await loadCatalogue(language);
  return [language, languageTexts(language, { mailedReport, signOnPage })];
};

const all = new Map(await Promise.all(LANGUAGES.map(textsOf)));

export function serviceTexts(language: Language): ServiceTexts {
  const texts = all.get(language);
  if (texts === undefined) throw new Error(`there is no language ${language}`);
  return texts;
}
