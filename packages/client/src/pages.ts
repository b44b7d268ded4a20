import type { Page } from '@granary/contract/envelope';

export interface PageRequest {
  readonly limit?: number;
  readonly cursor?: string;
}

/** Iterates over all pages of a list. */
export async function* everyItem<T>(
  list: (request: PageRequest) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | null = null;
  do {
    const page: Page<T> = await list(cursor === null ? {} : { cursor });
    yield* page.data;
    cursor = page.page.next_cursor;
  } while (cursor !== null);
}
