import type { Texts } from '../../texts/en/texts.ts';

type Words = Pick<Texts['devices']['configuration'], 'fields' | 'sections'>;

/** A field that this page does not know yet is shown by its name in the API. */
export const fieldName = (path: string, { fields, sections }: Words): string =>
  fields[path] ?? sections[path] ?? path;
