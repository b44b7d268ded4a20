import { formatNumber } from '../../format/numbers.ts';
import { locale } from '../../texts/texts.ts';
import { gridOf, scaleBarOf } from './grid.ts';
import { useView } from './surface-context.ts';

export function GridLines() {
  const view = useView();
  if (view.width === 0) return null;
  const { vertical, horizontal } = gridOf(view);
  const down = vertical.map((x) => `M${x.toFixed(1)} 0V${view.height}`);
  const across = horizontal.map((y) => `M0 ${y.toFixed(1)}H${view.width}`);
  return <path class="map-grid" d={[...down, ...across].join('')} />;
}

export function ScaleBar() {
  const view = useView();
  if (view.width === 0) return null;
  const { lengthM, lengthPx } = scaleBarOf(view);
  return (
    <p class="map-scale">
      <span style={{ width: `${lengthPx}px` }}>{lengthText(lengthM)}</span>
    </p>
  );
}

const lengthText = (metres: number): string =>
  metres >= 1_000
    ? `${formatNumber(metres / 1_000, 0, locale.value)} km`
    : `${formatNumber(metres, metres < 1 ? 2 : 0, locale.value)} m`;
