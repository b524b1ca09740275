/**
 * Draws `images/sign.png`, the picture that text detection is shown and tested on, and `images/sign.json`, which
 * says what is written where: `node --conditions=source --import tsx test-models/src/draw-sign.ts`. Eight lines
 * in two sizes and two typefaces, one of them slanted, on a coloured ground with light from one side, shapes, a
 * soft focus and sensor noise. Letters become outlines, so no font of the system has a part in it.
 */
import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { drawText, loadFonts, type TextLine } from './draw-text.ts';
import { normalValues, randomStream } from './random.ts';
import { type SignDescription, signDescriptionPath, signImagePath } from './sign.ts';

const SIGN_WIDTH = 640;
const SIGN_HEIGHT = 480;

const LARGE = 40;
const SMALL = 24;

const LINES: readonly TextLine[] = [
  { text: 'Harbour Street Market', font: 'sans', size: LARGE, x: 42, y: 70, angle: 0, colour: '#fff6df' },
  {
    text: 'open every Saturday from eight',
    font: 'serif',
    size: SMALL,
    x: 44,
    y: 119,
    angle: 0,
    colour: '#ffe39a',
  },
  { text: 'Fresh bread and pastries', font: 'sans', size: SMALL, x: 60, y: 188, angle: 0, colour: '#26323a' },
  {
    text: 'Vegetables from the valley',
    font: 'sans',
    size: SMALL,
    x: 60,
    y: 237,
    angle: 0,
    colour: '#26323a',
  },
  { text: 'Cheese, honey, olives', font: 'sans', size: SMALL, x: 60, y: 286, angle: 0, colour: '#7d2418' },
  { text: 'Live music', font: 'serif', size: LARGE, x: 392, y: 202, angle: 12, colour: '#fffaf0' },
  {
    text: 'Parking behind the station',
    font: 'serif',
    size: SMALL,
    x: 46,
    y: 388,
    angle: 0,
    colour: '#f4f1e4',
  },
  {
    text: 'Closed on public holidays',
    font: 'sans',
    size: SMALL,
    x: 318,
    y: 444,
    angle: 0,
    colour: '#ffd9c2',
  },
];

async function drawSign(): Promise<void> {
  const fonts = await loadFonts();
  const drawn = LINES.map((line) => drawText(line, fonts));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIGN_WIDTH}" height="${SIGN_HEIGHT}">
    ${GROUND}${drawn.map(({ path }) => path).join('\n')}</svg>`;
  const lens = await sharp(Buffer.from(svg)).flatten().blur(0.5).raw().toBuffer();
  const description: SignDescription = {
    width: SIGN_WIDTH,
    height: SIGN_HEIGHT,
    lines: drawn.map(({ line }) => line),
  };
  await sharp(addNoise(lens), { raw: { width: SIGN_WIDTH, height: SIGN_HEIGHT, channels: 3 } })
    .png({ compressionLevel: 9 })
    .toFile(signImagePath());
  await writeFile(signDescriptionPath(), `${JSON.stringify(description, null, 2)}\n`);
}

/** Sensor noise, the same in the three channels, and less light towards the corners. */
function addNoise(pixels: Buffer): Uint8Array {
  const noise = normalValues(SIGN_WIDTH * SIGN_HEIGHT, { mean: 0, std: 3 }, randomStream('sign noise'));
  return Uint8Array.from(pixels, (value, i) => {
    const pixel = Math.floor(i / 3);
    const u = (pixel % SIGN_WIDTH) / SIGN_WIDTH - 0.5;
    const v = Math.floor(pixel / SIGN_WIDTH) / SIGN_HEIGHT - 0.5;
    const lit = value * (1 - 0.35 * (u * u + v * v));
    return Math.min(255, Math.max(0, Math.round(lit + (noise[pixel] ?? 0))));
  });
}

/** A painted wall with a paper notice, a ribbon, bunting, a sun and waves. */
const GROUND = `
  <defs>
    <linearGradient id="wall" x1="0" y1="0" x2="1" y2="1">
      <stop offset="0" stop-color="#2b7a78"/><stop offset="0.55" stop-color="#3a5a86"/>
      <stop offset="1" stop-color="#6b3f69"/>
    </linearGradient>
    <linearGradient id="paper" x1="0" y1="0" x2="0.4" y2="1">
      <stop offset="0" stop-color="#f7ecd0"/><stop offset="1" stop-color="#e3cfa4"/>
    </linearGradient>
    <radialGradient id="sun"><stop offset="0" stop-color="#ffd166"/><stop offset="1" stop-color="#f08a4b"/></radialGradient>
    <pattern id="planks" width="640" height="60" patternUnits="userSpaceOnUse">
      <path d="M0 59.5H640" stroke="#000" stroke-opacity="0.22" stroke-width="1.5"/>
      <path d="M0 22C160 16 300 30 640 20M0 41C220 48 420 34 640 43" stroke="#fff" stroke-opacity="0.06" stroke-width="3" fill="none"/>
    </pattern>
  </defs>
  <rect width="640" height="480" fill="url(#wall)"/>
  <rect width="640" height="480" fill="url(#planks)"/>
  <circle cx="560" cy="66" r="44" fill="url(#sun)"/>
  <g stroke="#ffd166" stroke-width="4" stroke-linecap="round" stroke-opacity="0.7">
    <path d="M560 8V2M618 66H630M600 26L608 18M602 108L610 116M518 108L511 115M519 25L512 18"/>
  </g>
  <g transform="rotate(-0.6 170 232)">
    <rect x="34" y="146" width="338" height="170" rx="6" fill="#000" fill-opacity="0.3" transform="translate(5 6)"/>
    <rect x="34" y="146" width="338" height="170" rx="6" fill="url(#paper)"/>
    <circle cx="46" cy="157" r="5" fill="#9c3b2e"/><circle cx="360" cy="157" r="5" fill="#9c3b2e"/>
  </g>
  <g transform="translate(392 202) rotate(12)">
    <path d="M-14 -46H242L229 -12L242 22H-14Z" fill="#000" fill-opacity="0.3" transform="translate(4 6)"/>
    <path d="M-14 -46H242L229 -12L242 22H-14Z" fill="#2d6a4f"/>
  </g>
  <g fill="#ffffff" fill-opacity="0.16">
    <circle cx="455" cy="330" r="38"/><circle cx="512" cy="352" r="22"/><circle cx="585" cy="318" r="30"/>
  </g>
  <path d="M0 424C60 408 110 440 170 424S260 418 330 480H0Z" fill="#1d3557" fill-opacity="0.55"/>
  <path d="M0 446C70 432 120 462 180 446S250 452 290 478" stroke="#a8dadc" stroke-opacity="0.6" stroke-width="3" fill="none"/>
`;

await drawSign();
