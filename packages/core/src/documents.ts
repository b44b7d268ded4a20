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
 * A kind of document. It begins with version 1, and each upgrade leads to the next one. After the first release a field that is
 * added, renamed or removed needs an upgrade. `check` throws for a content that is damaged; the service has written all others.
 */
export function documentKind<Value extends object>(
  upgrades: readonly Upgrade[],
  check: (content: DocumentContent) => void = () => undefined,
): DocumentKind<Value> {
  const newest = upgrades.length + 1;
  return {
    read(text) {
      const { v, ...stored } = contentOf(JSON.parse(text));
      if (typeof v !== 'number' || !Number.isSafeInteger(v) || v < 1) throw new Error('no document version');
      if (v > newest) throw new Error(`document version ${v} is newer than ${newest}, the newest known here`);
      const content = upgrades.slice(v - 1).reduce((older, upgrade) => upgrade(older), stored);
      check(content);
      return content as Value;
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

/** The stored form of operations, commands or missions. Reading refuses a damaged document that cannot be a job. */
export const jobDocument = <Job extends { readonly deviceNo: number; readonly status: string }>(
  statuses: readonly Job['status'][],
): DocumentKind<Job> =>
  documentKind<Job>([], (content) => {
    const { deviceNo, status } = content;
    if (!Number.isSafeInteger(deviceNo)) throw new Error('no device number');
    if (!statuses.some((known) => known === status)) {
      throw new Error(`unknown status ${JSON.stringify(status)}`);
    }
  });
