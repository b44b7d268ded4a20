import { signal } from '@preact/signals';
import type { ComponentType, FunctionComponent, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../kit/button.tsx';
import { Notice } from '../kit/messages.tsx';
import { set } from '../kit/set.ts';
import { texts } from '../texts.ts';

/** A view whose script is loaded when it is first opened, or earlier. */
export type LazyView = FunctionComponent & { preload(): void };

export function lazyView(load: () => Promise<ComponentType>): LazyView {
  const state = signal<ComponentType | 'loading' | 'failed' | null>(null);
  const start = (): void => {
    if (state.peek() !== null && state.peek() !== 'failed') return;
    state.value = 'loading';
    load().then(
      (loaded) => set(state, loaded),
      () => set(state, 'failed'),
    );
  };
  const LazyView = (): JSX.Element => {
    useEffect(start, []);
    const { shell, common } = texts.value;
    const View = state.value;
    if (View === 'failed') {
      return (
        <Notice>
          {shell.viewNotLoaded} <Button onPress={start}>{common.retry}</Button>
        </Notice>
      );
    }
    return View === null || View === 'loading' ? <Notice>{shell.loading}</Notice> : <View />;
  };
  return Object.assign(LazyView, { preload: start });
}
