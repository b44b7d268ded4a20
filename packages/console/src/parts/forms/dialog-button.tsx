import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useConsole } from '../../console.ts';
import { texts } from '../../texts/texts.ts';
import { Button } from '../button.tsx';

interface Props {
  readonly text: string;
  /** What it does, where its text alone does not tell. */
  readonly label?: string;
  readonly kind?: 'primary' | 'plain' | 'quiet';
  readonly children: (close: () => void) => ComponentChildren;
}

/** Opens a dialog; not while the connection is lost, because a dialog is there to change something. */
export function DialogButton({ text, label, kind, children }: Props) {
  const isOpen = useSignal(false);
  const isLost = useConsole().live.connection.current.value.state === 'lost';
  return (
    <>
      <Button
        {...(kind === undefined ? {} : { kind })}
        {...(label === undefined ? {} : { label })}
        isDisabled={isLost}
        title={isLost ? texts.value.common.notWhileOffline : ''}
        onPress={() => {
          isOpen.value = true;
        }}
      >
        {text}
      </Button>
      {isOpen.value &&
        children(() => {
          isOpen.value = false;
        })}
    </>
  );
}
