import type { Proposal } from '@granary/contract/proposals';
import { useSignal } from '@preact/signals';
import { confirmed } from '../context/confirmed.ts';
import { callOptions, useConsole, useScope } from '../context/console.ts';
import { DeviceName } from '../kit/device-name.tsx';
import { DialogButton, FormDialog } from '../kit/dialog.tsx';
import { formatBoth, formatDuration, formatQuantity } from '../kit/format.ts';
import { bound, TextInput } from '../kit/inputs.tsx';
import { useEventReload, useLoaded } from '../kit/use-loaded.ts';
import { locale, texts } from '../texts.ts';
import { lookTwice } from './look-twice.ts';
import { PlanFacts } from './plan-facts.tsx';

const MINUTE_MS = 60_000;
const SHOWN_MAX = 20;
/** The proposals of all devices are read, and those of one device are selected here. */
const READ_MAX = 200;

/** Shows the proposals that wait for a person, above every view; on the page of a device only its own. */
export function Proposals() {
  const { client, live, navigation } = useConsole();
  const { view, id } = navigation.route.value;
  const open = useLoaded(
    (signal) => client.proposals.list({ status: 'open', limit: READ_MAX }, { signal }),
    [client],
  );
  useEventReload(['proposal.'], open.reload);
  const nowMs = live.site.clock.nowMs.value;
  const waiting = (open.value?.data ?? []).filter(
    ({ expires_at, device_id }) =>
      Date.parse(expires_at) > nowMs && (view !== 'devices' || id === null || id === device_id),
  );
  const shown = waiting.slice(0, SHOWN_MAX);
  const isCut = open.value !== undefined && open.value.page.next_cursor !== null;
  const { common } = texts.value;
  if (shown.length === 0) return null;
  return (
    <section class="panel proposals" aria-label={texts.value.proposals.title}>
      <h2>{texts.value.proposals.title}</h2>
      <ul>
        {shown.map((proposal) => (
          <Waiting key={proposal.proposal_id} proposal={proposal} onDecided={open.reload} />
        ))}
      </ul>
      {isCut ? (
        <p class="muted">{common.moreThanListed}</p>
      ) : (
        waiting.length > shown.length && (
          <p class="muted">{common.andOthers({ count: waiting.length - shown.length })}</p>
        )
      )}
    </section>
  );
}

/** The title names kilograms beside another unit, as before every start. */
function titleOf({ type, amount, plan: { unit }, target_container, device_id }: Proposal): string {
  const { types, into } = texts.value.operations;
  const what = `${types[type]} ${formatBoth(amount, unit, locale.value, device_id)}`;
  return target_container === null ? what : `${what} ${into({ target: target_container })}`;
}

const proposer = ({ proposed_by: { key_name, actor, agent } }: Proposal): string =>
  [agent, actor, key_name].filter((name) => name !== undefined && name !== null).join(' · ');

interface Props {
  readonly proposal: Proposal;
  readonly onDecided: () => void;
}

function Waiting({ proposal, onDecided }: Props) {
  const { live } = useConsole();
  const { proposals } = texts.value;
  const mayOperate = useScope('operate');
  const leftMs = Date.parse(proposal.expires_at) - live.site.clock.nowMs.value;
  return (
    <li>
      <p>
        <DeviceName deviceId={proposal.device_id} /> <strong class="free-text">{titleOf(proposal)}</strong>
      </p>
      <p class="muted free-text">
        {[
          proposals.by({ name: proposer(proposal) }),
          proposal.reason,
          proposals.left({ duration: formatDuration(leftMs) }),
        ]
          .filter((part) => part !== null)
          .join(' · ')}
      </p>
      {mayOperate && (
        <p class="proposal-actions">
          <DialogButton kind="primary" text={proposals.look}>
            {(close) => <ConfirmForm proposal={proposal} onDecided={onDecided} onClose={close} />}
          </DialogButton>{' '}
          <DialogButton text={proposals.refuse}>
            {(close) => <RefuseForm proposal={proposal} onDecided={onDecided} onClose={close} />}
          </DialogButton>
        </p>
      )}
    </li>
  );
}

interface FormProps extends Props {
  readonly onClose: () => void;
}

/** Shows the facts for the decision as they were planned; the service decides again about the start. */
function ConfirmForm({ proposal, onDecided, onClose }: FormProps) {
  const shared = useConsole();
  const { client, live } = shared;
  const { proposals, operations } = texts.value;
  const { device_id, proposal_id, plan, ends } = proposal;
  const quantity = (amount: number, unit: string): string =>
    formatQuantity(amount, unit, locale.value, device_id, 1);
  const title = titleOf(proposal);
  const facts = (
    <PlanFacts
      deviceId={device_id}
      plan={plan}
      container={proposal.target_container}
      more={[
        { title: proposals.proposedBy, value: proposer(proposal) },
        ...(proposal.reason === null ? [] : [{ title: proposals.reason, value: proposal.reason }]),
        {
          title: proposals.ends,
          value: proposals.endsAt({
            amount: quantity(ends.amount_max, plan.unit),
            duration: formatDuration(ends.minutes_max * MINUTE_MS),
          }),
        },
      ]}
    />
  );

  async function start(): Promise<void> {
    const action = 'proposals.confirm' as const;
    const what = { title, plan: facts, action, device_id, resource_id: proposal_id };
    const { operation_id } = await confirmed(shared, what, (options) =>
      client.proposals.confirm(device_id, proposal_id, options),
    );
    onDecided();
    if (operation_id === null) return;
    const answer = client.operations.get(device_id, operation_id);
    await live.site.operations.putAnswer(answer.then((record) => [{ device_id, ...record }]));
  }

  return (
    <FormDialog
      title={title}
      submit={proposals.start({ what: operations.types[proposal.type] })}
      onSubmit={start}
      onClose={onClose}
      again={lookTwice({ type: proposal.type, title, plan, deviceId: device_id })}
    >
      {facts}
      <p class="muted">{proposals.checked}</p>
    </FormDialog>
  );
}

function RefuseForm({ proposal, onDecided, onClose }: FormProps) {
  const shared = useConsole();
  const { proposals } = texts.value;
  const reason = useSignal('');
  const refuse = async (): Promise<void> => {
    const why = reason.peek().trim();
    const body = why === '' ? {} : { reason: why };
    await shared.client.proposals.refuse(proposal.device_id, proposal.proposal_id, body, callOptions(shared));
    onDecided();
  };
  return (
    <FormDialog title={titleOf(proposal)} submit={proposals.refuse} onSubmit={refuse} onClose={onClose}>
      <TextInput label={proposals.reason} {...bound(reason)} />
    </FormDialog>
  );
}
