import './empty-state.css';
import type { ComponentChildren, JSX } from 'preact';

/** The drawings have only lines, in the colours of structure, so that none looks like an alarm or a value. */
const DRAWINGS = {
  farm: (
    <>
      <path d="M4 92h192" />
      <path d="M34 92V44q0-14 18-14t18 14v48M34 60h36" />
      <path d="M78 92V54q0-12 15-12t15 12v38M78 66h30" />
      <path d="M120 92V70l22-14 22 14v22M134 92V78h16v14" />
      <path d="M176 92V50M176 50l14-5-14-5" />
      <circle cx="150" cy="22" r="8" />
    </>
  ),
  silo: (
    <>
      <path d="M52 96h96" />
      <path d="M72 30q28-20 56 0v38l-22 20H94L72 68z" />
      <path d="M72 30h56M94 88v8M106 88v8" />
      <path class="dashed" d="M72 56h56" />
    </>
  ),
  quiet: (
    <>
      <path d="M24 80h152" />
      <path d="M60 80a40 40 0 0 1 80 0" />
      <path d="M100 28v-12M58 44l-8-8M142 44l8-8M40 66H28M172 66h-12" />
    </>
  ),
  field: (
    <>
      <path d="M20 92 60 40h80l40 52z" />
      <path d="M80 92 90 40M120 92l-10-52" />
      <path class="dashed" d="M48 84 74 60l34 12 30-18" />
      <circle cx="138" cy="54" r="5" />
    </>
  ),
} as const satisfies Record<string, JSX.Element>;

export type DrawingName = keyof typeof DRAWINGS;

export const Drawing = ({ name }: { readonly name: DrawingName }) => (
  <svg class="drawing" viewBox="0 0 200 104" width="200" height="104" aria-hidden="true">
    {DRAWINGS[name]}
  </svg>
);

interface Props {
  readonly drawing: DrawingName;
  /** The purpose of this place, or the meaning of its emptiness. */
  readonly title: string;
  readonly text?: string;
  /** The next step. */
  readonly children?: ComponentChildren;
}

/** A view in which there is nothing to show. */
export const EmptyState = ({ drawing, title, text, children }: Props) => (
  <div class="empty-state">
    <Drawing name={drawing} />
    <p class="empty-title">{title}</p>
    {text !== undefined && <p class="muted">{text}</p>}
    {children !== undefined && <div class="empty-next">{children}</div>}
  </div>
);
