import './pin-entry.css';
import type { TerminalPerson } from '@granary/contract/terminals';
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../kit/button.tsx';
import { useAction } from '../kit/form-state.ts';
import { Field } from '../kit/inputs.tsx';
import { Failure } from '../kit/messages.tsx';
import { set } from '../kit/set.ts';
import { texts } from '../texts.ts';

const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'] as const;
const PIN_CHARS_MIN = 4;
const PIN_CHARS_MAX = 8;

export type Secret = { readonly pin: string } | { readonly password: string };

interface Props {
  readonly name: string;
  readonly usesPassword: boolean;
  readonly submit: string;
  readonly hint?: string;
  /** Called with the entry. A refusal is shown here, and the entry begins anew. */
  readonly onEnter: (secret: Secret) => Promise<unknown>;
}

/** Takes a PIN by large keys, which gloves can press, or by the keyboard; or a password. */
export function PinEntry({ name, usesPassword, submit, hint, onEnter }: Props) {
  const { terminals } = texts.value;
  const secret = useSignal('');
  const input = useRef<HTMLInputElement>(null);
  const { run, isRunning, failure } = useAction();
  // This runs before the next key, because a PIN is typed directly after its name was pressed.
  useLayoutEffect(() => input.current?.focus(), [usesPassword]);

  async function enter(event: Event): Promise<void> {
    event.preventDefault();
    const given = secret.peek();
    secret.value = '';
    await run(() => onEnter(usesPassword ? { password: given } : { pin: given }));
    input.current?.focus();
  }

  const press = (digit: string): void => set(secret, (secret.peek() + digit).slice(0, PIN_CHARS_MAX));
  return (
    <form class="pin-entry" onSubmit={(event) => void enter(event)}>
      {hint !== undefined && <p class="muted">{hint}</p>}
      <Field label={usesPassword ? terminals.passwordOf({ name }) : terminals.pinOf({ name })}>
        {(id) => (
          <input
            id={id}
            ref={input}
            class="pin-shown"
            type="password"
            autocomplete="off"
            required
            {...(usesPassword
              ? {}
              : { inputMode: 'none', pattern: '[0-9]*', minLength: PIN_CHARS_MIN, maxLength: PIN_CHARS_MAX })}
            value={secret.value}
            onInput={({ currentTarget }) => set(secret, currentTarget.value)}
          />
        )}
      </Field>
      <Failure of={failure} />
      {!usesPassword && (
        <div class="pin-pad">
          {DIGITS.map((digit) => (
            <button
              key={digit}
              type="button"
              class="button"
              aria-label={terminals.digit({ digit })}
              onClick={() => press(digit)}
            >
              {digit}
            </button>
          ))}
          <button
            type="button"
            class="button pin-erase"
            aria-label={terminals.erase}
            onClick={() => set(secret, secret.peek().slice(0, -1))}
          >
            ⌫
          </button>
        </div>
      )}
      <Button
        kind="primary"
        type="submit"
        isBusy={isRunning}
        isChange
        isDisabled={secret.value.length < (usesPassword ? 1 : PIN_CHARS_MIN)}
      >
        {submit}
      </Button>
    </form>
  );
}

interface TilesProps {
  readonly people: readonly TerminalPerson[];
  readonly onChoose: (person: TerminalPerson) => void;
}

/** Shows one large button for each person; people whose names are equal or look alike are told apart by the second line. */
export const PersonTiles = ({ people, onChoose }: TilesProps) => (
  <ul class="person-tiles">
    {people.map((person) => (
      <li key={person.login}>
        <button type="button" class="button" onClick={() => onChoose(person)}>
          <span>
            {person.name}
            <small>{person.login}</small>
          </span>
        </button>
      </li>
    ))}
  </ul>
);
