import type { Me, WrongSecrets } from '@granary/contract/me';
import { useSignal } from '@preact/signals';
import { useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { Button } from '../kit/button.tsx';
import { formatNumber } from '../kit/format.ts';
import { Age } from '../kit/measured.tsx';
import { column, Table } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useLoaded } from '../kit/use-loaded.ts';
import { locale, texts } from '../texts.ts';

/** Fewer wrong secrets than this are usually mistakes of the person. */
const TOLD_FROM = 5;

const total = (secrets: readonly WrongSecrets[]): number =>
  secrets.reduce((sum, { count }) => sum + count, 0);

/** Says above every view that somebody guesses a secret, until the person has seen it in this browser. */
export function WrongSecretsNotice() {
  const { client, session } = useConsole();
  const { me } = texts.value;
  const isPerson = session.kind === 'person' && session.terminal === null;
  const own = useLoaded(isPerson ? (signal) => client.me.get({ signal }) : null, [client]);
  const seenKey = `granary.wrong-secrets.${session.key_id}`;
  const seenAt = useSignal(localStorage.getItem(seenKey) ?? '');
  const unseen = (own.value?.wrong_secrets ?? []).filter(({ last_at: at }) => at > seenAt.value);
  const [newest] = unseen;
  if (newest === undefined || total(unseen) < TOLD_FROM) return null;
  const see = (): void => {
    localStorage.setItem(seenKey, newest.last_at);
    seenAt.value = newest.last_at;
  };
  return (
    <section class="panel" role="status" aria-label={me.wrongSecrets}>
      <p>{me.wrongNotice({ number: formatNumber(total(unseen), 0, locale.value) })}</p>
      <p class="buttons">
        <a href={addressOf('me')}>{me.wrongShow}</a> <Button onPress={see}>{me.wrongSeen}</Button>
      </p>
    </section>
  );
}

/** Shows how many wrong secrets there were and where they came from. */
export function WrongSecretsPanel({ me: { wrong_secrets: rows } }: { readonly me: Me }) {
  const { me } = texts.value;
  if (rows.length === 0) return null;
  return (
    <section class="panel" aria-label={me.wrongSecrets}>
      <header>
        <h2>{me.wrongSecrets}</h2>
      </header>
      <p class="muted">{me.wrongSecretsMean}</p>
      <Table
        label={me.wrongSecrets}
        columns={columns()}
        rows={rows}
        idOf={({ kind, from }) => `${kind} ${from}`}
      />
    </section>
  );
}

function columns(): readonly Column<WrongSecrets>[] {
  const { me } = texts.value;
  return [
    column('what', me.wrongWhat, { kind: 'title' }, ({ kind }) => me.wrongKinds[kind]),
    column('from', me.wrongFrom, {}, ({ from }) => from),
    column('count', me.wrongCount, {}, ({ count }) => formatNumber(count, 0, locale.value)),
    column('last', me.wrongLast, {}, ({ last_at: at }) => <Age since={at} />),
  ];
}
