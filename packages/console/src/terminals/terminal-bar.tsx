import { ApiError } from '@granary/client';
import { TERMINAL_IDLE_MS } from '@granary/contract/outline';
import type { TerminalPerson } from '@granary/contract/terminals';
import { SECOND_MS } from '@granary/contract/time';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useConsole } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Failure, Notice } from '../kit/messages.tsx';
import { set } from '../kit/set.ts';
import { useLoaded } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';
import { PersonTiles, PinEntry, type Secret } from './pin-entry.tsx';

/** At this interval at most the page asks whether the person is still signed in, and reports that they are still there. */
const CHECK_MS = 15 * SECOND_MS;
const ONCE = { timeLimitMs: 0 };
const TOUCHES = ['pointerdown', 'keydown'] as const;

/** The bar of a shared terminal: who has signed in, and the change to the next person over the running view. */
export function TerminalBar() {
  const { client, session, become } = useConsole();
  const { terminals } = texts.value;
  const isOpen = useSignal(false);
  const isLocked = session.kind === 'terminal';
  const lock = (): void => {
    become(null);
    // The service locks the terminal by itself after a time, even if this request does not arrive.
    client.terminals.lock().catch(() => undefined);
  };
  useIdleLock(session.key_id, isLocked, lock);
  return (
    <>
      <section class="terminal-bar" aria-label={terminals.bar}>
        <p role="status">
          {isLocked ? (
            <>
              <strong class="free-text">{session.name}</strong> · {terminals.locked}
            </>
          ) : (
            <>
              <strong class="free-text">{session.name}</strong> ·{' '}
              <span class="free-text muted">{session.terminal?.name}</span>
            </>
          )}
        </p>
        {!isLocked && <Button onPress={lock}>{terminals.lock}</Button>}
        <Button kind={isLocked ? 'primary' : 'plain'} isChange onPress={() => set(isOpen, true)}>
          {isLocked ? terminals.signIn : terminals.changeShift}
        </Button>
      </section>
      {isOpen.value && <SignInDialog onClose={() => set(isOpen, false)} />}
    </>
  );
}

/** Signs out a person who walks away; the view stays. */
function useIdleLock(keyId: string, isLocked: boolean, lock: () => void): void {
  const { client, become } = useConsole();
  const latest = useRef(lock);
  latest.current = lock;
  useEffect(() => {
    if (isLocked) return;
    let touchedAtMs = performance.now();
    let isTouched = false;
    const touch = (): void => {
      touchedAtMs = performance.now();
      isTouched = true;
    };
    const check = async (): Promise<void> => {
      if (performance.now() - touchedAtMs >= TERMINAL_IDLE_MS) return latest.current();
      const wasTouched = isTouched;
      isTouched = false;
      try {
        const now = await (wasTouched ? client.terminals.stay(ONCE) : client.session.get(ONCE));
        if (now.key_id !== keyId) become(null);
      } catch {
        isTouched ||= wasTouched;
      }
    };
    const timer = setInterval(() => void check(), CHECK_MS);
    for (const name of TOUCHES) addEventListener(name, touch, { capture: true });
    return () => {
      clearInterval(timer);
      for (const name of TOUCHES) removeEventListener(name, touch, { capture: true });
    };
  }, [keyId, isLocked]);
}

function SignInDialog({ onClose }: { readonly onClose: () => void }) {
  const { client, become } = useConsole();
  const { terminals, shell } = texts.value;
  const people = useLoaded((signal) => client.terminals.people({ signal }), []);
  const chosen = useSignal<TerminalPerson | null>(null);
  const person = chosen.value;

  async function enter(secret: Secret): Promise<void> {
    const { login } = chosen.peek() ?? { login: '' };
    try {
      become(await client.terminals.signIn({ login, ...secret }, ONCE));
      onClose();
    } catch (failure) {
      if (failure instanceof ApiError && failure.code === 'password_required' && chosen.peek() !== null) {
        chosen.value = { ...(chosen.peek() as TerminalPerson), needs_password: true };
      }
      throw failure;
    }
  }

  return (
    <Dialog title={person === null ? terminals.whoAreYou : person.name} onClose={onClose}>
      {person === null ? (
        <>
          <Failure of={people.failure} />
          {people.value === undefined && people.failure === null && <Notice>{shell.loading}</Notice>}
          {people.value?.length === 0 && <p>{terminals.noPeople}</p>}
          <PersonTiles people={people.value ?? []} onChoose={(one) => (chosen.value = one)} />
        </>
      ) : (
        <>
          <PinEntry
            name={person.name}
            usesPassword={person.needs_password}
            submit={terminals.signIn}
            {...(person.needs_password ? { hint: terminals.passwordMeans } : {})}
            onEnter={enter}
          />
          <Button
            kind="quiet"
            onPress={() => {
              chosen.value = null;
              people.reload();
            }}
          >
            {terminals.others}
          </Button>
        </>
      )}
    </Dialog>
  );
}
