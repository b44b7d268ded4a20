import { type KeyRecord, SCOPES } from '@granary/contract/keys';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole } from '../context/console.ts';
import { DialogButton, FormDialog } from '../kit/dialog.tsx';
import { FilterBar, SelectFilter } from '../kit/filter-bar.tsx';
import { useDraft } from '../kit/form-state.ts';
import { Choices, TextInput } from '../kit/inputs.tsx';
import { Age, Time } from '../kit/measured.tsx';
import { RotationDialog, SecretDialog } from '../kit/secret-dialog.tsx';
import { PageList, Table } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useEventReload, usePages } from '../kit/use-loaded.ts';
import { texts } from '../texts/texts.ts';
import { type KeyDraft, type KeyState, keyStateOf, newKeyOf } from './key-draft.ts';
import { PlaceChoices } from './place-choices.tsx';

const USUAL_OVERLAP_MIN = 60;

const EMPTY: KeyDraft = { name: '', scopes: ['read'], facilities: [], deviceIds: [], expiresAt: '' };

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

function IssueKey({ onClose }: { readonly onClose: () => void }) {
  const console = useConsole();
  const { keys } = texts.value;
  const { current, field } = useDraft(EMPTY);
  const issued = useSignal<string | null>(null);
  if (issued.value !== null) {
    const title = keys.issued(current.peek().name.trim());
    return <SecretDialog title={title} secrets={[[keys.key, issued.value]]} onClose={onClose} />;
  }
  return (
    <FormDialog
      title={keys.issue}
      submit={keys.issue}
      staysOpen
      onSubmit={async () => {
        const wanted = newKeyOf(current.peek());
        issued.value = (await console.client.keys.create(wanted, callOptions(console))).key;
      }}
      onClose={onClose}
    >
      <TextInput label={keys.name} hint={keys.nameHint} isRequired {...field('name')} />
      <Choices
        legend={keys.scopes}
        options={SCOPES.map((scope) => [scope, keys.scopeMeanings[scope]])}
        {...field('scopes')}
      />
      <PlaceChoices facilities={field('facilities')} deviceIds={field('deviceIds')} />
      <TextInput label={keys.expires} hint={keys.expiresHint} type="datetime-local" {...field('expiresAt')} />
    </FormDialog>
  );
}

interface Props {
  readonly keyRecord: KeyRecord;
  readonly onClose: () => void;
}

function RevokeKey({ keyRecord: { key_id, name }, onClose }: Props) {
  const console = useConsole();
  const { keys } = texts.value;
  return (
    <FormDialog
      title={keys.revokeOf(name)}
      submit={keys.revoke}
      onSubmit={() => console.client.keys.revoke(key_id, callOptions(console))}
      onClose={onClose}
    >
      <p>{keys.revokeMeans}</p>
      {key_id === console.session.key_id && <p class="refusal">{keys.ownKey}</p>}
    </FormDialog>
  );
}

interface RotateKeyProps {
  readonly keyRecord: KeyRecord;
  readonly onClose: () => void;
}

function RotateKey({ keyRecord: { key_id, name }, onClose }: RotateKeyProps) {
  const console = useConsole();
  const { keys } = texts.value;
  return (
    <RotationDialog
      texts={{
        title: keys.rotateOf(name),
        submit: keys.rotate,
        meaning: keys.rotateMeans,
        overlap: keys.overlap,
        issuedTitle: keys.issued(name),
        secret: keys.key,
      }}
      usualOverlap={USUAL_OVERLAP_MIN}
      unitSeconds={60}
      rotate={async (rotation) =>
        (await console.client.keys.rotate(key_id, rotation, callOptions(console))).key
      }
      onClose={onClose}
    />
  );
}
