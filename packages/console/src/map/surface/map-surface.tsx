import type { Point } from '@granary/contract/positions';
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { texts } from '../../texts/texts.ts';
import { Gestures } from './gestures.ts';
import { GridLines, ScaleBar } from './grid-lines.tsx';
import { type Viewport, zoomed } from './projection.ts';
import { ViewContext } from './surface-context.ts';
import { TileLayer } from './tile-layer.tsx';
import './map-surface.css';

const BUTTON_ZOOM = 1.8;

interface Props {
  readonly view: Signal<Viewport>;
  readonly tilesAddress: string | null;
  /** Points are added by pressing. */
  readonly isDrawing: boolean;
  readonly onPress?: ((point: Point) => void) | undefined;
  readonly onShowAll: () => void;
  readonly children: ComponentChildren;
}

/** North is up. Drawn as SVG, so that everything on it has a name, can be reached by the keyboard and follows the theme. */
export function MapSurface({ view, tilesAddress, isDrawing, onPress, onShowAll, children }: Props) {
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
    // A listener that JSX adds may not prevent that the page scrolls.
    element.addEventListener('wheel', gestures.wheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', gestures.wheel);
    };
  }, [gestures]);
  const zoomBy = (factor: number): void => {
    view.value = zoomed(view.peek(), factor);
  };
  return (
    <ViewContext.Provider value={view}>
      <div class="map-surface">
        {/* biome-ignore lint/a11y/useSemanticElements: no HTML element is a group of shapes */}
        <svg
          ref={surface}
          class={isDrawing ? 'drawing' : ''}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard moves and zooms the map
          tabIndex={0}
          role="group"
          aria-label={map.label}
          aria-description={map.keys}
          onPointerDown={gestures.down}
          onPointerMove={gestures.move}
          onPointerUp={gestures.up}
          onPointerCancel={gestures.up}
          onKeyDown={gestures.key}
        >
          {tilesAddress !== null && <TileLayer address={tilesAddress} />}
          <GridLines />
          {children}
        </svg>
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
