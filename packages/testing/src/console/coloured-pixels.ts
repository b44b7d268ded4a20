import type { Page } from 'playwright-core';

/** Counts the pixels of the chart that have a colour: the line is blue, axes and thresholds are grey. */
export const COLOURED_PIXELS = `(() => {
    const canvas = document.querySelector('.device-plot canvas');
    if (canvas === null || canvas.width === 0) return 0;
    const { width, height } = canvas;
    const copy = Object.assign(document.createElement('canvas'), { width, height });
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    let coloured = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] > 128 && Math.abs(data[at + 2] - data[at]) > 50) coloured++;
    }
    return coloured;
  })()`;

export const colouredPixels = (page: Page): Promise<number> => page.evaluate<number>(COLOURED_PIXELS);
