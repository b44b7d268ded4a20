import './entry-box.css';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { locale, texts } from '../texts.ts';
import { Button } from './button.tsx';
import type { Bound } from './inputs.tsx';

/** The value that a form holds while the text of a field has no clear meaning. It is neither a number nor a time. */
const UNREADABLE = 'NaN';

/** How a kind of value is written and read; the form holds a value as programs write it. */
export interface Notation {
  /** Every value that the text can mean. */
  readonly read: (text: string) => readonly string[];
  /** The text of the field. */
  readonly write: (value: string) => string;
  /** The value as the page writes it anywhere else. */
  readonly say: (value: string) => string;
  /** Why a value that was read is refused; `null` if it is accepted. */
  readonly faultOf: (value: string) => string | null;
  /** The message about a text that has no meaning. */
  readonly unreadable: string;
  /** The text behind the field: the unit, or, if `isTyped`, the whole meaning of the text. */
  readonly echo: (text: string, value: string, isTyped: boolean) => string;
  /** The text behind the field while there is no value. */
  readonly suffix: string;
}

/** Begins an echo that says more than the text of the field. */
export const MEANS = '= ';

export interface EntryProps extends Bound<string> {
  /** The id for a label of the field; without it the field has a name of its own. */
  readonly id?: string;
  readonly name?: string;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  readonly placeholder?: string | undefined;
  /**
   * When the form is told: `all`: with every text, as `UNREADABLE` if it has no clear meaning; `taken`: with each value that is accepted;
   * `left`: with such a value only when the person leaves the field or presses Enter.
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
  /** The value of the text, whether or not the form was told. */
  readonly value: string;
  /** The value that the form holds after this text: the same value if the form was told, otherwise the earlier one. */
  readonly before: string;
  readonly language: string;
}

/**
 * A field whose text the page reads and writes in its own language, and never the browser. Its meaning stands behind the text. If a
 * text can mean two things, the person is asked, and the form cannot be sent until the person has chosen.
 */
export function EntryBox(props: Props) {
  const { id, name, value, onValue, notation, inputMode = 'text', children } = props;
  const { isRequired = false, isDisabled = false, placeholder, tells = 'all' } = props;
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
  const { meanings, meant, fault, problem } = meaningOf(text, notation, value === UNREADABLE);
  // A number that is still being typed may be too small so far.
  const isShown = problem !== null && (fault === null || isLeft);

  useLayoutEffect(() => input.current?.setCustomValidity(problem ?? ''), [problem]);

  const enter = (next: string, isDone: boolean): void => {
    const understood = next.trim() === '' ? '' : (meaningOf(next, notation, false).meant ?? UNREADABLE);
    const isTaken =
      understood === '' ? !isRequired : understood !== UNREADABLE && notation.faultOf(understood) === null;
    const tellsNow = tells === 'all' || (isTaken && (isDone || tells === 'taken'));
    setTyped({ text: next, value: understood, before: tellsNow ? understood : value, language });
    if (tellsNow) onValue(understood);
  };
  const echo = meant === undefined ? notation.suffix : notation.echo(text.trim(), meant, isTyped);
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
        <EntryProblem
          id={messageId}
          problem={problem}
          choices={meanings.length > 1 ? meanings : []}
          say={notation.say}
          onChoose={(chosen) => {
            enter(notation.write(chosen), true);
            setLeft(true);
            input.current?.focus();
          }}
        />
      )}
    </div>
  );
}

interface Meaning {
  /** Every value that the text can mean. */
  readonly meanings: readonly string[];
  /** The value if there is exactly one. */
  readonly meant: string | undefined;
  /** Why the meant value is not accepted. */
  readonly fault: string | null;
  /** Why the text has no value. */
  readonly problem: string | null;
}

function meaningOf(text: string, notation: Notation, isUnreadable: boolean): Meaning {
  const isEmpty = text.trim() === '';
  const meanings = isEmpty ? [] : notation.read(text);
  const [first, other] = meanings;
  if (other !== undefined) {
    return { meanings, meant: undefined, fault: null, problem: texts.value.forms.twoMeanings };
  }
  if (first === undefined) {
    const problem = isEmpty && !isUnreadable ? null : notation.unreadable;
    return { meanings, meant: undefined, fault: null, problem };
  }
  const fault = notation.faultOf(first);
  return { meanings, meant: first, fault, problem: fault };
}

interface ProblemProps {
  readonly id: string;
  readonly problem: string;
  /** The meanings of which a person chooses one. */
  readonly choices: readonly string[];
  readonly say: Notation['say'];
  readonly onChoose: (value: string) => void;
}

const EntryProblem = ({ id, problem, choices, say, onChoose }: ProblemProps) => (
  <div class="entry-problem" id={id} role="alert">
    <p>{problem}</p>
    {choices.length > 0 && (
      <div class="entry-choices">
        {choices.map((value) => (
          <Button key={value} onPress={() => onChoose(value)}>
            {say(value)}
          </Button>
        ))}
      </div>
    )}
  </div>
);
