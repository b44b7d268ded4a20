import type { ComponentChildren } from 'preact';
import './notice.css';

/** A state of a whole view: loading, empty, or a failure that says what to do. */
export const Notice = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="notice">{children}</p>
);
