import { signal } from '@preact/signals';
import type { ComponentType, FunctionComponent, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

/** A view whose script is loaded when it is opened for the first time, or before. */
export type LazyView = FunctionComponent & { preload(): void };

export function lazyView(load: () => Promise<ComponentType>): LazyView {
  const state = signal<ComponentType | 'loading' | 'failed' | null>(null);
  const start = (): void => {
    if (state.peek() !== null && state.peek() !== 'failed') return;
    state.value = 'loading';
    load().then(
      (loaded) => {
        state.value = loaded;
      },
      () => {
        state.value = 'failed';
      },
    );
  };
  const LazyView = (): JSX.Element => {
    useEffect(start, []);
    const { frame, common } = texts.value;
    const View = state.value;
    if (View === 'failed') {
      return (
        <Notice>
          {frame.viewNotLoaded} <Button onPress={start}>{common.retry}</Button>
        </Notice>
      );
    }
    return View === null || View === 'loading' ? <Notice>{frame.loading}</Notice> : <View />;
  };
  return Object.assign(LazyView, { preload: start });
}
