import { RECONFIRMATIONS, TERMINAL_KINDS } from '@granary/contract/outline';
import type { Terminal } from '@granary/contract/terminals';
import { type Console, callOptions, useConsole } from '../context/console.ts';
import { ConfirmButton, DialogButton } from '../kit/dialog.tsx';
import { useChoices, useDraft } from '../kit/form-state.ts';
import { Choices, SelectInput, TextInput } from '../kit/inputs.tsx';
import { Age } from '../kit/measured.tsx';
import { Failure } from '../kit/messages.tsx';
import { LinkForm } from '../kit/secret-dialog.tsx';
import { column, PageList, Table, titleColumn } from '../kit/table.tsx';
import type { Column } from '../kit/table-order.ts';
import { useLoaded, usePages } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';

interface TerminalDraft {
  readonly name: string;
  readonly kind: string;
  readonly facilities: readonly string[];
}

const EMPTY: TerminalDraft = { name: '', kind: 'terminal', facilities: [] };

export function TerminalsPage() {
  const console = useConsole();
  const { terminals } = texts.value;
  const pages = usePages((page, signal) => console.client.terminals.list(page, { signal }), []);
  return (
    <>
      <div class="administration-head">
        <DialogButton kind="primary" text={terminals.enrol}>
          {(close) => (
            <EnrolTerminal
              onClose={() => {
                close();
                pages.reload();
              }}
            />
          )}
        </DialogButton>
      </div>
      <PageList pages={pages} empty={terminals.none}>
        {(items) => (
          <Table
            label={terminals.title}
            columns={terminalColumns(console, pages.reload)}
            rows={items}
            idOf={({ terminal_id }) => terminal_id}
          />
        )}
      </PageList>
      <Reconfirm />
    </>
  );
}

/** Sets where people must confirm starts; only for those who administer everything. */
function Reconfirm() {
  const console = useConsole();
  const { client, live } = console;
  const { terminals } = texts.value;
  const policy = useLoaded((signal) => client.signOn.policy({ signal }), []);
  const { run, failure } = useChoices();
  const { value } = policy;
  if (value === undefined) return null;
  const named = value.reconfirm.flatMap(({ facility }) => facility ?? []);
  const present = live.site.devices.facilities.value;
  const change = async (facility: string | null, chosen: string): Promise<void> => {
    // The policy is read again before the change, because somebody else may have changed it.
    const now = await client.signOn.policy();
    const how = RECONFIRMATIONS.find((one) => one === chosen) ?? 'none';
    const reconfirm = [...now.reconfirm.filter((one) => one.facility !== facility), { facility, how }];
    await client.signOn.putPolicy({ ...now, reconfirm }, {}, callOptions(console));
    policy.reload();
  };
  return (
    <section class="panel administration-choices" aria-label={terminals.reconfirm}>
      <h2>{terminals.reconfirm}</h2>
      <p class="muted">{terminals.reconfirmMeans}</p>
      {[...[...new Set([...present, ...named])].sort(), null].map((facility) => {
        const set = value.reconfirm.find((one) => one.facility === facility)?.how;
        return (
          <SelectInput
            key={facility}
            label={facility ?? terminals.otherFacilities}
            options={[
              ...(set === undefined
                ? [['', facility === null ? terminals.hows.none : terminals.asOthers] as const]
                : []),
              ...RECONFIRMATIONS.map((how) => [how, terminals.hows[how]] as const),
            ]}
            value={set ?? ''}
            onValue={(how) => run(() => change(facility, how))}
          />
        );
      })}
      <Failure of={failure} />
    </section>
  );
}

function statusOf({ ended_at, last_used_at }: Terminal): string {
  const { terminals } = texts.value;
  if (ended_at !== null) return terminals.ended;
  return last_used_at === null ? terminals.waiting : terminals.inUse;
}

function terminalColumns(console: Console, reload: () => void): readonly Column<Terminal>[] {
  const { terminals } = texts.value;
  return [
    titleColumn('name', terminals.name, ({ name }) => name),
    column(
      'kind',
      terminals.kind,
      { sortBy: ({ kind }) => terminals.shortKinds[kind] },
      ({ kind }) => terminals.shortKinds[kind],
    ),
    column('facilities', terminals.facilities, {}, ({ facilities }) => (
      <span class="free-text">{facilities.join(', ')}</span>
    )),
    column('status', terminals.status, { sortBy: statusOf }, (terminal) => (
      <span class={terminal.ended_at === null ? '' : 'muted'}>{statusOf(terminal)}</span>
    )),
    column(
      'used',
      terminals.lastUsed,
      { kind: 'number', sortBy: ({ last_used_at }) => last_used_at },
      ({ last_used_at }) =>
        last_used_at === null ? <span class="muted">{terminals.never}</span> : <Age since={last_used_at} />,
    ),
    column(
      'actions',
      terminals.actions,
      { kind: 'actions' },
      ({ terminal_id, name, ended_at }) =>
        ended_at === null && (
          <ConfirmButton
            text={terminals.end}
            label={terminals.endOf({ name })}
            means={terminals.endMeans}
            onConfirm={async () => {
              await console.client.terminals.end(terminal_id, callOptions(console));
              reload();
            }}
          />
        ),
    ),
  ];
}

function EnrolTerminal({ onClose }: { readonly onClose: () => void }) {
  const console = useConsole();
  const { terminals } = texts.value;
  const { current, field } = useDraft(EMPTY);
  const places = console.live.site.devices.facilities.value;
  return (
    <LinkForm
      title={terminals.enrol}
      submit={terminals.enrol}
      issuedTitle={terminals.linkFor({ name: current.value.name.trim() })}
      link={terminals.link}
      qrCode={terminals.qrCode}
      issue={async () => {
        const { name, kind: chosen, facilities } = current.peek();
        const kind = TERMINAL_KINDS.find((one) => one === chosen) ?? 'display';
        const wanted = { name: name.trim(), kind, facilities: [...facilities] };
        const { code } = await console.client.terminals.enrol(wanted, callOptions(console));
        return { fragment: `sign-in=${code}`, note: <p>{terminals.linkMeans}</p> };
      }}
      onClose={onClose}
    >
      <TextInput label={terminals.name} hint={terminals.nameHint} isRequired {...field('name')} />
      <SelectInput
        label={terminals.kind}
        hint={TERMINAL_KINDS.filter((kind) => kind === current.value.kind)
          .map((kind) => terminals.kinds[kind])
          .join('')}
        options={TERMINAL_KINDS.map((kind) => [kind, terminals.shortKinds[kind]])}
        {...field('kind')}
      />
      <Choices
        legend={terminals.facilities}
        hint={terminals.chooseFacility}
        options={places.map((name) => [name, name])}
        {...field('facilities')}
      />
    </LinkForm>
  );
}
