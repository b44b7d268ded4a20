/** The content of a stored document, without its version. */
export type DocumentContent = Readonly<Record<string, unknown>>;

/** Upgrades a document to the next version; it must not use constants of the present code, because they change. */
export type Upgrade = (content: DocumentContent) => DocumentContent;

/** Writes values of one kind to the database and reads them. */
export interface DocumentKind<Value> {
  /** Throws for a document that this version cannot read. */
  read(text: string): Value;
  write(value: Value): string;
}

/**
 * A kind of document. Its version is the number of its upgrades; a document that names no version was written before
 * documents had one, and is version 0. A field that is added, renamed or removed needs an upgrade.
 */
export function documentKind<Value extends object>(
  upgrades: readonly Upgrade[],
  check: (content: DocumentContent) => Value,
): DocumentKind<Value> {
  const newest = upgrades.length;
  return {
    read(text) {
      const { v = 0, ...stored } = contentOf(JSON.parse(text));
      if (typeof v !== 'number' || !Number.isSafeInteger(v) || v < 0) throw new Error('no document version');
      if (v > newest) throw new Error(`document version ${v} is newer than ${newest}, the newest known here`);
      return check(upgrades.slice(v).reduce((content, upgrade) => upgrade(content), stored));
    },
    write: (value) => JSON.stringify({ v: newest, ...value }),
  };
}

function contentOf(stored: unknown): DocumentContent {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) {
    throw new Error('not an object');
  }
  return stored as DocumentContent;
}
