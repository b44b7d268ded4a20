import type { ComponentChildren } from 'preact';
import { texts } from '../../texts/texts.ts';
import { Button } from '../button.tsx';
import { Failure } from '../failure.tsx';
import { Notice } from '../notice.tsx';
import type { Pages } from './use-pages.ts';

interface Props<Item> {
  readonly pages: Pages<Item>;
  /** What is said where the list is empty. */
  readonly empty?: string;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}

/** A list with its states: loading, failed, empty, and more of it to load. */
export function PageList<Item>({ pages, empty, children }: Props<Item>) {
  const { table, frame, common } = texts.value;
  const { items, failure, hasMore, isLoading } = pages;
  const again = failure !== null && (
    <div class="page-list-failure">
      <Failure of={failure} />
      <Button onPress={pages.reload}>{common.retry}</Button>
    </div>
  );
  if (items === undefined) return again === false ? <Notice>{frame.loading}</Notice> : again;
  return (
    <>
      {again}
      {items.length === 0 ? <Notice>{empty ?? table.nothing}</Notice> : children(items)}
      {hasMore && (
        <p class="table-more">
          <Button isBusy={isLoading} onPress={pages.more}>
            {table.loadMore}
          </Button>
        </p>
      )}
    </>
  );
}
