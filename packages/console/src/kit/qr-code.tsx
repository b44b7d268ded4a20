import './qr-code.css';
import { useLoaded } from './use-loaded.ts';

const BORDER = 2;

/** Shows a text for the camera of a phone. The code that draws it is loaded when it is needed. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { value } = useLoaded(async () => (await import('uqr')).encode(text, { border: BORDER }), [text]);
  if (value === undefined) return null;
  const { size, data } = value;
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      class="qr-code"
      viewBox={`0 0 ${size} ${size}`}
      width="200"
      height="200"
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
