import type { KeyRecord } from '@granary/contract/keys';
import { SCOPES } from '@granary/contract/outline';
import { type Console, callOptions, useConsole } from '../context/console.ts';
import { ConfirmButton, DialogButton } from '../kit/dialog.tsx';
import { FilterBar, SelectFilter } from '../kit/filter-bar.tsx';
import { useDraft } from '../kit/form-state.ts';
import { Choices, TextInput } from '../kit/inputs.tsx';
import { Age, Time } from '../kit/measured.tsx';
import { MomentInput } from '../kit/moment-input.tsx';
import { RotationDialog, SecretForm } from '../kit/secret-dialog.tsx';
import { column, PageList, Table, timeColumn, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useEventReload, usePages } from '../kit/use-loaded.ts';
import { type KeyDraft, type KeyState, keyStateOf, newKeyOf } from '../me/key-draft.ts';
import { texts } from '../texts.ts';
import { PlaceChoices } from './place-choices.tsx';

const USUAL_OVERLAP_MIN = 60;

const EMPTY: KeyDraft = { name: '', scopes: ['read'], facilities: [], deviceIds: [], expiresAt: '' };

export function KeysPage() {
  const console = useConsole();
  const { client, live, navigation } = console;
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
            columns={keyColumns(console, nowMs)}
            rows={items.filter((key) => showsAll || keyStateOf(key, nowMs) === 'usable')}
            idOf={({ key_id }) => key_id}
          />
        )}
      </PageList>
    </>
  );
}

function keyColumns(console: Console, nowMs: number): readonly Column<KeyRecord>[] {
  const { keys } = texts.value;
  const words: Readonly<Record<KeyState, string>> = {
    usable: keys.usable,
    expired: keys.expired,
    revoked: keys.revokedAt,
  };
  return [
    titleColumn('name', keys.name, ({ name, person_id }) =>
      person_id === null ? name : keys.personal({ name }),
    ),
    column('scopes', keys.scopes, { sortBy: ({ scopes }) => scopes.length }, ({ scopes }) =>
      scopes.join(', '),
    ),
    column('access', keys.mayAccess, {}, (key) => <span class="free-text">{accessOf(key)}</span>),
    column('status', keys.status, { sortBy: (key) => words[keyStateOf(key, nowMs)] }, (key) => {
      const state = keyStateOf(key, nowMs);
      return <span class={state === 'usable' ? '' : 'muted'}>{words[state]}</span>;
    }),
    timeColumn('created', keys.created, ({ created_at }) => created_at),
    column(
      'used',
      keys.lastUsed,
      { kind: 'number', sortBy: ({ last_used_at }) => last_used_at },
      ({ last_used_at }) =>
        last_used_at === null ? <span class="muted">{keys.never}</span> : <Age since={last_used_at} />,
    ),
    column('expires', keys.expires, { sortBy: ({ expires_at }) => expires_at }, ({ expires_at }) =>
      expires_at === null ? <span class="muted">{keys.forever}</span> : <Time at={expires_at} />,
    ),
    column(
      'actions',
      keys.revoke,
      { kind: 'actions' },
      (key) =>
        keyStateOf(key, nowMs) === 'usable' && (
          <span class="buttons">
            <DialogButton text={keys.rotate} label={keys.rotateOf({ name: key.name })}>
              {(close) => <RotateKey keyRecord={key} onClose={close} />}
            </DialogButton>
            <ConfirmButton
              text={keys.revoke}
              label={keys.revokeOf({ name: key.name })}
              means={keys.revokeMeans}
              onConfirm={() => console.client.keys.revoke(key.key_id, callOptions(console))}
            >
              {key.key_id === console.session.key_id && <p class="refusal">{keys.ownKey}</p>}
            </ConfirmButton>
          </span>
        ),
    ),
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
  return (
    <SecretForm
      title={keys.issue}
      submit={keys.issue}
      issuedTitle={keys.issued({ name: current.value.name.trim() })}
      issue={async () => {
        const { key } = await console.client.keys.create(newKeyOf(current.peek()), callOptions(console));
        return [[keys.key, key]];
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
      <MomentInput label={keys.expires} hint={keys.expiresHint} {...field('expiresAt')} />
    </SecretForm>
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
        title: keys.rotateOf({ name }),
        submit: keys.rotate,
        meaning: keys.rotateMeans,
        overlap: keys.overlap,
        issuedTitle: keys.issued({ name }),
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
