import type { Message } from './message.ts';
import { parsed } from './parse.ts';

/** The texts of a catalogue file by their names, as translators write them. */
export interface Sources {
  readonly [name: string]: string | Sources;
}

/** The same tree with its messages parsed; a message is a text or a list, a section is an object. */
export interface Compiled {
  readonly [name: string]: Message | Compiled;
}

/** Parses all messages. The operators' page is built with catalogues that were compiled before, and without this module. */
export const compiled = (sources: Sources): Compiled =>
  Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [
      name,
      typeof source === 'string' ? parsed(source) : compiled(source),
    ]),
  );
