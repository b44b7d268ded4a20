import './entry-box.css';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { locale, texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import type { Bound } from './inputs.tsx';

/** What a form holds while a field has a text of which nobody knows what it means. It is no number and no time. */
const UNREADABLE = 'NaN';

/** How a kind of value is written and read; it is held in the form in which programs write it. */
export interface Notation {
  /** Every value that the text can mean. */
  readonly read: (text: string) => readonly string[];
  /** The text of the field. */
  readonly write: (value: string) => string;
  /** As the page writes it anywhere else. */
  readonly say: (value: string) => string;
  /** Why a value that was read cannot be taken; `null` where it can. */
  readonly faultOf: (value: string) => string | null;
  /** What is said of a text that means nothing. */
  readonly unreadable: string;
  /** What stands behind the text: its unit, or all that it means where `isTyped`. */
  readonly echo: (text: string, value: string, isTyped: boolean) => string;
  /** The same while there is no value. */
  readonly suffix: string;
}

/** Begins an echo that says more than the text of the field. */
export const MEANS = '= ';

export interface EntryProps extends Bound<string> {
  /** That to which a label belongs; without one the field has a name of its own. */
  readonly id?: string;
  readonly name?: string;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  readonly placeholder?: string | undefined;
  /**
   * What is told: every text, `UNREADABLE` for one without a clear meaning; each value that can be taken; or that only when the
   * person leaves the field or presses Enter.
   */
  readonly tells?: 'all' | 'taken' | 'left';
}

interface Props extends EntryProps {
  readonly notation: Notation;
  readonly inputMode?: 'decimal' | 'text';
  /** Another way to enter a value. */
  readonly children?: ComponentChildren;
}

interface Typed {
  readonly text: string;
  /** What was told of it, or would be. */
  readonly value: string;
  /** What the form holds although this was typed: the same, where it was told. */
  readonly before: string;
  readonly language: string;
}

/**
 * A field whose text is read and written by the page, in the language of the page, and never by the browser. Behind the text
 * stands what it means. What can mean two things is asked, and keeps a form from being sent until the person has chosen.
 */
export function EntryBox(props: Props) {
  const { id, name, value, onValue, notation, inputMode = 'text', children } = props;
  const { isRequired = false, isDisabled = false, placeholder, tells = 'all' } = props;
  const { forms } = texts.value;
  const language = locale.value;
  const [typed, setTyped] = useState<Typed | null>(null);
  const [isLeft, setLeft] = useState(true);
  const input = useRef<HTMLInputElement>(null);
  const messageId = useId();
  const echoId = useId();

  const isTyped =
    typed !== null &&
    (value === typed.value || value === typed.before) &&
    (typed.language === language || typed.value === UNREADABLE);
  const written = value === '' || value === UNREADABLE ? '' : notation.write(value);
  const text = isTyped ? typed.text : written;
  const meanings = text.trim() === '' ? [] : notation.read(text);
  const [meant, other] = meanings;
  const isUnreadable = meant === undefined && (text.trim() !== '' || value === UNREADABLE);
  const isAmbiguous = other !== undefined;
  const fault = meant === undefined || isAmbiguous ? null : notation.faultOf(meant);
  const unclear = isAmbiguous ? forms.twoMeanings : notation.unreadable;
  const problem = isAmbiguous || isUnreadable ? unclear : fault;
  // A number that is still being typed may be too small so far.
  const isShown = problem !== null && (fault === null || isLeft);

  useLayoutEffect(() => input.current?.setCustomValidity(problem ?? ''), [problem]);

  const enter = (next: string, isDone: boolean): void => {
    const [first, second] = next.trim() === '' ? [''] : notation.read(next);
    const known = first === undefined || second !== undefined ? UNREADABLE : first;
    const isEmpty = known === '';
    const isTaken = isEmpty ? !isRequired : known !== UNREADABLE && notation.faultOf(known) === null;
    const isTold = tells === 'all' || (isTaken && (isDone || tells === 'taken'));
    setTyped({ text: next, value: known, before: isTold ? known : value, language });
    if (isTold) onValue(known);
  };
  const choose = (chosen: string): void => {
    enter(notation.write(chosen), true);
    setLeft(true);
    input.current?.focus();
  };
  const echo =
    meant === undefined || isAmbiguous ? notation.suffix : notation.echo(text.trim(), meant, isTyped);
  return (
    <div class="entry">
      <div class={`entry-box ${isDisabled ? 'disabled' : ''}`}>
        <input
          ref={input}
          type="text"
          {...(id === undefined ? {} : { id })}
          {...(name === undefined ? {} : { 'aria-label': name })}
          inputMode={inputMode}
          autocomplete="off"
          required={isRequired}
          disabled={isDisabled}
          placeholder={placeholder}
          aria-invalid={isShown}
          aria-describedby={isShown ? messageId : echoId}
          value={text}
          onInput={({ currentTarget }) => {
            setLeft(false);
            enter(currentTarget.value, false);
          }}
          onChange={({ currentTarget }) => {
            setLeft(true);
            enter(currentTarget.value, true);
          }}
        />
        <span id={echoId} class={`entry-echo ${echo.startsWith(MEANS) ? 'meant' : ''}`}>
          {echo}
        </span>
        {children}
      </div>
      {isShown && (
        <div class="entry-problem" id={messageId} role="alert">
          <p>{problem}</p>
          {isAmbiguous && (
            <div class="entry-choices">
              {meanings.map((one) => (
                <Button key={one} onPress={() => choose(one)}>
                  {notation.say(one)}
                </Button>
              ))}
            </div>
          )}
        </div>
      )}
    </div>
  );
}
