import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { texts } from '../../texts/texts.ts';
import { Button } from '../button.tsx';

interface Props {
  readonly label: string;
  readonly text: string;
}

/** A text to be taken elsewhere, with a button that copies it. */
export function CopyText({ label, text }: Props) {
  const { forms } = texts.value;
  const state = useSignal<'ready' | 'copied' | 'selected'>('ready');
  const place = useRef<HTMLElement>(null);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      state.value = 'copied';
    } catch {
      // A browser offers the clipboard only to pages with TLS; the person can copy what is selected.
      if (place.current !== null) getSelection()?.selectAllChildren(place.current);
      state.value = 'selected';
    }
  }

  return (
    <div class="copy-text">
      <h3>{label}</h3>
      <div>
        <code ref={place}>{text}</code>
        <Button label={`${forms.copy}: ${label}`} onPress={() => void copy()}>
          {forms.copy}
        </Button>
      </div>
      <p class="muted hint" role="status">
        {state.value === 'ready' ? '' : forms[state.value]}
      </p>
    </div>
  );
}
