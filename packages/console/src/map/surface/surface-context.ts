import { type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Viewport } from './projection.ts';

/** The view until the size of the map is known. */
export const NO_VIEW: Viewport = { center: { x: 0.5, y: 0.35 }, scale: 1_024, width: 0, height: 0 };

export const ViewContext = createContext<ReadonlySignal<Viewport>>(signal(NO_VIEW));

/** The part of the world that the map around this component shows. */
export const useView = (): Viewport => useContext(ViewContext).value;

export const useViewSignal = (): ReadonlySignal<Viewport> => useContext(ViewContext);
