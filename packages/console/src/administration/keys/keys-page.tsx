import type { KeyRecord } from '@granary/contract/keys';
import { useConsole } from '../../console.ts';
import { Age, Time } from '../../parts/age.tsx';
import { DialogButton } from '../../parts/forms/dialog-button.tsx';
import { FilterBar, SelectFilter } from '../../parts/lists/filter-bar.tsx';
import { PageList } from '../../parts/lists/page-list.tsx';
import { Table } from '../../parts/lists/table.tsx';
import type { Column } from '../../parts/lists/table-column.ts';
import { useEventReload } from '../../parts/lists/use-event-reload.ts';
import { usePages } from '../../parts/lists/use-pages.ts';
import { texts } from '../../texts/texts.ts';
import { IssueKey } from './issue-key.tsx';
import { type KeyState, keyStateOf } from './key-draft.ts';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKey } from './rotate-key.tsx';

export function KeysPage() {
  const { client, live, navigation } = useConsole();
  const { keys } = texts.value;
  const pages = usePages((page, signal) => client.keys.list(page, { signal }), []);
  useEventReload(['key.'], pages.reload);
  const nowMs = live.site.clock.nowMs.peek();
  const showsAll = navigation.route.value.query.get('show') === 'all';
  return (
    <>
      <div class="administration-head">
        <FilterBar names={['show']}>
          <SelectFilter name="show" label={keys.show} any={keys.inForce} options={[['all', keys.all]]} />
        </FilterBar>
        <DialogButton kind="primary" text={keys.issue}>
          {(close) => <IssueKey onClose={close} />}
        </DialogButton>
      </div>
      <PageList pages={pages}>
        {(items) => (
          <Table
            label={keys.title}
            columns={keyColumns(nowMs)}
            rows={items.filter((key) => showsAll || keyStateOf(key, nowMs) === 'usable')}
            idOf={({ key_id }) => key_id}
          />
        )}
      </PageList>
    </>
  );
}

function keyColumns(nowMs: number): readonly Column<KeyRecord>[] {
  const { keys } = texts.value;
  const words: Readonly<Record<KeyState, string>> = {
    usable: keys.usable,
    expired: keys.expired,
    revoked: keys.revokedAt,
  };
  return [
    {
      name: 'name',
      title: keys.name,
      kind: 'title',
      sortBy: ({ name }) => name,
      cell: ({ name }) => <strong class="free-text">{name}</strong>,
    },
    {
      name: 'scopes',
      title: keys.scopes,
      sortBy: ({ scopes }) => scopes.length,
      cell: ({ scopes }) => scopes.join(', '),
    },
    { name: 'access', title: keys.mayAccess, cell: (key) => <span class="free-text">{accessOf(key)}</span> },
    {
      name: 'status',
      title: keys.status,
      sortBy: (key) => words[keyStateOf(key, nowMs)],
      cell: (key) => {
        const state = keyStateOf(key, nowMs);
        return <span class={state === 'usable' ? '' : 'muted'}>{words[state]}</span>;
      },
    },
    {
      name: 'created',
      title: keys.created,
      sortBy: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      name: 'used',
      title: keys.lastUsed,
      kind: 'number',
      sortBy: ({ last_used_at }) => last_used_at,
      cell: ({ last_used_at }) =>
        last_used_at === null ? <span class="muted">{keys.never}</span> : <Age since={last_used_at} />,
    },
    {
      name: 'expires',
      title: keys.expires,
      sortBy: ({ expires_at }) => expires_at,
      cell: ({ expires_at }) =>
        expires_at === null ? <span class="muted">{keys.forever}</span> : <Time at={expires_at} />,
    },
    {
      name: 'actions',
      title: keys.revoke,
      kind: 'actions',
      cell: (key) =>
        keyStateOf(key, nowMs) === 'usable' && (
          <span class="administration-actions">
            <DialogButton text={keys.rotate} label={keys.rotateOf(key.name)}>
              {(close) => <RotateKey keyRecord={key} onClose={close} />}
            </DialogButton>
            <DialogButton text={keys.revoke} label={keys.revokeOf(key.name)}>
              {(close) => <RevokeKey keyRecord={key} onClose={close} />}
            </DialogButton>
          </span>
        ),
    },
  ];
}

function accessOf({ facilities, device_ids }: KeyRecord): string {
  const limits = [...(facilities ?? []), ...(device_ids ?? [])];
  return limits.length === 0 ? texts.value.keys.everything : limits.join(', ');
}
