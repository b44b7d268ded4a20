import type { KeyRecord } from '@granary/contract/keys';
import { SCOPES } from '@granary/contract/outline';
import { type Console, callOptions, useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { ConfirmButton, DialogButton, FormDialog } from '../kit/dialog.tsx';
import { useDraft } from '../kit/form-state.ts';
import { Choices, TextInput } from '../kit/inputs.tsx';
import { Age, Time } from '../kit/measured.tsx';
import { Failure } from '../kit/messages.tsx';
import { MomentInput } from '../kit/moment-input.tsx';
import { SecretForm } from '../kit/secret-dialog.tsx';
import { column, Table, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useLoaded } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';
import { newKeyOf } from './key-draft.ts';

const HOST_CHARS_MAX = 80;
/** Matches the port on which the command listens, and the text by which the command recognises the answer. */
const COMMAND = /^(\d{4,5})\.([\w-]{16,64})$/;

/** Lists the keys with which programs act as the person. */
export function Keys() {
  const console = useConsole();
  const { me } = texts.value;
  const keys = useLoaded((signal) => console.client.me.keys({ signal }), []);
  const rows = keys.value ?? [];
  return (
    <section class="panel" aria-label={me.keys}>
      <header>
        <h2>{me.keys}</h2>
        <DialogButton text={me.newKey}>
          {(close) => (
            <NewKey
              onClose={() => {
                close();
                keys.reload();
              }}
            />
          )}
        </DialogButton>
      </header>
      <p class="muted">{me.keysMean}</p>
      <Failure of={keys.failure} />
      {rows.length > 0 && (
        <Table
          label={me.keys}
          columns={keyColumns(console, keys.reload)}
          rows={rows}
          idOf={({ key_id }) => key_id}
          orderName="keys"
        />
      )}
    </section>
  );
}

function keyColumns(console: Console, reload: () => void): readonly Column<KeyRecord>[] {
  const { me, keys } = texts.value;
  return [
    titleColumn('name', me.keyFor, ({ name }) => name),
    column('scopes', keys.scopes, {}, ({ scopes }) => scopes.join(', ')),
    column('used', keys.lastUsed, {}, ({ last_used_at }) =>
      last_used_at === null ? <span class="muted">{keys.never}</span> : <Age since={last_used_at} />,
    ),
    column('expires', keys.expires, {}, ({ expires_at }) =>
      expires_at === null ? <span class="muted">{keys.forever}</span> : <Time at={expires_at} />,
    ),
    column('actions', me.actions, { kind: 'actions' }, ({ key_id, name }) => (
      <ConfirmButton
        text={me.end}
        label={me.endKeyOf({ name })}
        means={me.endKeyMeans}
        onConfirm={async () => {
          await console.client.me.revokeKey(key_id, callOptions(console));
          reload();
        }}
      />
    )),
  ];
}

/** The form of a key. It may have all rights of its owner; the person can leave some out. */
function useKeyDraft(name: string) {
  const { session } = useConsole();
  const { keys } = texts.value;
  const own = SCOPES.filter((scope) => session.scopes.includes(scope));
  const draft = useDraft({
    name,
    scopes: own as readonly string[],
    facilities: [],
    deviceIds: [],
    expiresAt: '',
  });
  const scopes = (
    <Choices
      legend={keys.scopes}
      options={own.map((scope) => [scope, keys.scopeMeanings[scope]])}
      {...draft.field('scopes')}
    />
  );
  return { ...draft, scopes };
}

function NewKey({ onClose }: { readonly onClose: () => void }) {
  const console = useConsole();
  const { me, keys } = texts.value;
  const { current, field, scopes } = useKeyDraft('');
  return (
    <SecretForm
      title={me.newKey}
      submit={me.newKey}
      issuedTitle={me.keyOf({ name: current.value.name.trim() })}
      issue={async () => {
        const { key } = await console.client.me.createKey(newKeyOf(current.peek()), callOptions(console));
        return [[me.key, key]];
      }}
      onClose={onClose}
    >
      <TextInput label={me.keyFor} hint={me.keyForHint} isRequired {...field('name')} />
      {scopes}
      <MomentInput label={keys.expires} hint={keys.expiresHint} {...field('expiresAt')} />
    </SecretForm>
  );
}

/** Shown when `granary login --web` has led here. The key goes to this machine and nowhere else, whoever has made the link. */
export function LetIn() {
  const { navigation, session } = useConsole();
  const { me } = texts.value;
  const { query } = navigation.route.value;
  const [, port, state] = COMMAND.exec(query.get('command') ?? '') ?? [];
  if (port === undefined || state === undefined) return null;
  if (session.kind !== 'person') return <p class="refusal">{me.letInNotPerson}</p>;
  const host = (query.get('on') ?? '').slice(0, HOST_CHARS_MAX) || location.hostname;
  return <LetInDialog port={port} state={state} host={host} />;
}

/** The key is sent as a form, so that it is in no address, history or log. */
function giveToCommand(port: string, given: Readonly<Record<'state' | 'key', string>>): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = `http://127.0.0.1:${port}/`;
  form.hidden = true;
  for (const [name, value] of Object.entries(given)) {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}

interface LetInProps {
  readonly port: string;
  readonly state: string;
  readonly host: string;
}

function LetInDialog({ port, state, host }: LetInProps) {
  const console = useConsole();
  const { me } = texts.value;
  const { current, scopes } = useKeyDraft(`granary, ${host}`);
  return (
    <FormDialog
      title={me.letIn}
      submit={me.letInNow}
      staysOpen
      onSubmit={async () => {
        const { key } = await console.client.me.createKey(newKeyOf(current.peek()), callOptions(console));
        giveToCommand(port, { state, key });
      }}
      onClose={() => console.navigation.open(addressOf('me'))}
    >
      <p>{me.letInMeans({ host })}</p>
      {scopes}
    </FormDialog>
  );
}
