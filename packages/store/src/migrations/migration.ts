import type { Dialect } from './dialect.ts';

/** Where the engines need different statements, each has its own. */
type Statement = string | Readonly<Record<Dialect['engine'], readonly string[]>>;

/** Frozen text, with the words of the dialect in double braces. */
export type Migration = readonly Statement[];

/** The statements of a migration for one engine. */
export function renderMigration(migration: Migration, dialect: Dialect): string[] {
  const words = new Map<string, string>(Object.entries(dialect));
  const fillIn = (_: string, name: string): string => {
    const word = words.get(name);
    if (word === undefined) throw new Error(`a migration names {{${name}}}, which no dialect defines`);
    return word;
  };
  return migration
    .flatMap((statement) => (typeof statement === 'string' ? [statement] : statement[dialect.engine]))
    .map((statement) => statement.replaceAll(/\{\{(\w+)\}\}/g, fillIn));
}
