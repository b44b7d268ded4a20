import './confirmation-dialog.css';
import { ApiError } from '@granary/client';
import type { TerminalPerson } from '@granary/contract/terminals';
import { useSignal } from '@preact/signals';
import { type Confirming, useConsole } from '../context/console.ts';
import { Dialog } from '../kit/dialog.tsx';
import { bound, TextInput } from '../kit/inputs.tsx';
import { Failure } from '../kit/messages.tsx';
import { useLoaded } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';
import { PersonTiles, PinEntry, type Secret } from './pin-entry.tsx';

/** Asks the person, or a second one, to confirm the request that is about to be sent. */
export function ConfirmationDialog() {
  const { confirming } = useConsole();
  const { value } = confirming;
  return value === null ? null : <Asked key={value.what.title} {...value} />;
}

function Asked({ what, isBySecond, answer }: Confirming) {
  const { client, live, session } = useConsole();
  const { terminals } = texts.value;
  const isAtTerminal = session.terminal !== null;
  const people = useLoaded(
    isAtTerminal && isBySecond ? (signal) => client.terminals.people({ signal }) : null,
    [],
  );
  const second = useSignal<Pick<TerminalPerson, 'login' | 'name'> | null>(null);
  const login = useSignal('');
  const needsPassword = useSignal(!isAtTerminal);
  const { title, plan, ...request } = what;

  async function confirm(secret: Secret): Promise<void> {
    const by = isAtTerminal ? second.peek()?.login : login.peek().trim().toLowerCase();
    try {
      const { confirmation_id } = await client.confirmations.create({
        ...request,
        ...(isBySecond && by !== undefined ? { login: by } : {}),
        ...secret,
      });
      answer(confirmation_id);
    } catch (failure) {
      if (failure instanceof ApiError && failure.code === 'password_required') needsPassword.value = true;
      throw failure;
    }
  }

  const isChosen = !isBySecond || !isAtTerminal || second.value !== null;
  return (
    <Dialog title={terminals.confirm} onClose={() => answer(null)}>
      <section class="confirmed-plan" aria-label={title}>
        <p class="confirmed-title">
          <strong class="free-text">{title}</strong>
        </p>
        <p class="free-text muted">{live.site.devices.nameOf(what.device_id)}</p>
        {plan}
      </section>
      <p>{isBySecond ? terminals.confirmBySecond : terminals.confirmByOneself}</p>
      <Failure of={people.failure} />
      {!isChosen && (
        <PersonTiles
          people={(people.value ?? []).filter(({ name }) => name !== session.name)}
          onChoose={(person) => {
            second.value = person;
            needsPassword.value = person.needs_password;
          }}
        />
      )}
      {isBySecond && !isAtTerminal && (
        <TextInput label={texts.value.session.login} isRequired {...bound(login)} />
      )}
      {isChosen && (
        <PinEntry
          name={isBySecond ? (second.value?.name ?? login.value) : session.name}
          usesPassword={needsPassword.value}
          // The button repeats the title, because the plan above may be out of view.
          submit={`${terminals.confirm}: ${title}`}
          onEnter={confirm}
        />
      )}
    </Dialog>
  );
}
