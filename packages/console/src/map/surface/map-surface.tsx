import './map-surface.css';
import type { Point } from '@granary/contract/positions';
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { formatNumber } from '../../kit/format.ts';
import { set } from '../../kit/set.ts';
import { locale, texts } from '../../texts.ts';
import { gridOf, scaleBarOf, tilesOf } from './background.ts';
import { Gestures } from './gestures.ts';
import { type Viewport, zoomed } from './projection.ts';
import { useView, ViewContext } from './surface-context.ts';

const BUTTON_ZOOM = 1.8;

interface Props {
  readonly view: Signal<Viewport>;
  readonly tilesAddress: string | null;
  /** True while a press on the map adds a point. */
  readonly isDrawing: boolean;
  readonly onPress?: ((point: Point) => void) | undefined;
  readonly onShowAll: () => void;
  /** The contents beside the sign of north. */
  readonly weather: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The map, with north up. It is drawn as SVG, so that everything on it has a name, can be reached by the keyboard and follows the theme. */
export function MapSurface({ view, tilesAddress, isDrawing, onPress, onShowAll, weather, children }: Props) {
  const { map } = texts.value;
  const surface = useRef<SVGSVGElement>(null);
  const gestures = useMemo(() => new Gestures(view), [view]);
  gestures.onPress = onPress;
  useEffect(() => {
    const element = surface.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      const { width, height } = entry.contentRect;
      view.value = { ...view.peek(), width, height };
    });
    observer.observe(element);
    // The listener is not added by JSX, because such a listener may not prevent the page from scrolling.
    element.addEventListener('wheel', gestures.wheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', gestures.wheel);
    };
  }, [gestures]);
  const zoomBy = (factor: number): void => set(view, zoomed(view.peek(), factor));
  return (
    <ViewContext.Provider value={view}>
      <div class="map-surface">
        {/* biome-ignore lint/a11y/useSemanticElements: no HTML element is a group of shapes */}
        <svg
          ref={surface}
          class={isDrawing ? 'drawing' : ''}
          // In a drawing `tabIndex` would be an attribute that the browser does not know.
          tabindex={0}
          role="group"
          aria-label={map.label}
          aria-description={isDrawing ? `${map.keys} ${map.keysDrawing}` : map.keys}
          onPointerDown={gestures.down}
          onPointerMove={gestures.move}
          onPointerUp={gestures.up}
          onPointerCancel={gestures.up}
          onKeyDown={gestures.key}
        >
          {tilesAddress !== null && <TileLayer address={tilesAddress} />}
          <GridLines />
          {children}
          {isDrawing && <Crosshair />}
        </svg>
        <p class="map-north">
          <span title={map.north}>
            <svg viewBox="0 0 16 20" width="16" height="20" aria-hidden="true">
              <path d="M8 1 13 18 8 14 3 18z" />
            </svg>
            {map.northSign}
          </span>
          {weather}
        </p>
        <ScaleBar />
        <div class="map-buttons">
          <Button label={map.zoomIn} onPress={() => zoomBy(BUTTON_ZOOM)}>
            +
          </Button>
          <Button label={map.zoomOut} onPress={() => zoomBy(1 / BUTTON_ZOOM)}>
            −
          </Button>
          <Button onPress={onShowAll}>{map.showAll}</Button>
        </div>
      </div>
    </ViewContext.Provider>
  );
}

/** Marks where Enter adds a point, while the map has the focus of the keyboard. */
function Crosshair() {
  const { width, height } = useView();
  return (
    <path
      class="map-crosshair"
      d="M-14 0H-4M4 0H14M0-14V-4M0 4V14"
      transform={`translate(${width / 2} ${height / 2})`}
    />
  );
}

function GridLines() {
  const view = useView();
  if (view.width === 0) return null;
  const { vertical, horizontal } = gridOf(view);
  const down = vertical.map((x) => `M${x.toFixed(1)} 0V${view.height}`);
  const across = horizontal.map((y) => `M0 ${y.toFixed(1)}H${view.width}`);
  return <path class="map-grid" d={[...down, ...across].join('')} />;
}

function ScaleBar() {
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

/** Draws pictures of the ground, if the service knows a server that has them. */
const TileLayer = ({ address }: { readonly address: string }) => (
  <g class="map-tiles">
    {tilesOf(address, useView()).map((tile) => (
      <image
        key={tile.address}
        href={tile.address}
        x={tile.x}
        y={tile.y}
        width={tile.sizePx + 0.5}
        height={tile.sizePx + 0.5}
      />
    ))}
  </g>
);
