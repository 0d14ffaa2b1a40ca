import { existsSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import {
  CHROMIUM,
  IMAGES,
  openViews,
  readShown,
  SHOWN,
  type Shown,
} from '../../docs/generate/inspector-screenshots.ts';
import { SLOW } from '../slow.ts';

const AGAIN = 'npm run generate:pictures takes the screenshots again';

/** Returns the colors of an image's pixels, as CSS writes them. */
async function readPixels(page: Page, file: string): Promise<readonly string[]> {
  const image = readFileSync(file).toString('base64');
  return page.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob('${image}'), (byte) => byte.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    canvas.drawImage(bitmap, 0, 0);
    const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
    const colors = new Set();
    for (let at = 0; at < data.length; at += 4)
      colors.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
    return [...colors].map((color) => \`rgb(\${color >> 16}, \${(color >> 8) & 255}, \${color & 255})\`);
  })()`);
}

it.skipIf(!existsSync(CHROMIUM))(
  `the screenshots have the names and colors of the page, in ${CHROMIUM}`,
  SLOW,
  async () => {
    const recorded: Record<string, Shown> = JSON.parse(readFileSync(SHOWN, 'utf8'));
    const opened: string[] = [];
    await openViews(async (name, page) => {
      opened.push(name);
      await expect
        .poll(() => readShown(page), { message: AGAIN, timeout: 10_000 })
        .toEqual(recorded[name]);
      const { text = [], background = [] } = recorded[name]?.colors ?? {};
      const pixels = await readPixels(page, `${IMAGES}/${name}.png`);
      expect(pixels, `${name}: ${AGAIN}`).toEqual(expect.arrayContaining([...text, ...background]));
    });
    expect(opened).toEqual(Object.keys(recorded));
  },
);
