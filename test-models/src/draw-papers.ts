/**
 * Draws the demo page's other pictures: `images/receipt.png`, papers on a table whose lines run in four directions, and
 * `images/line.png`, one line of text upside down: `node --conditions=source --import tsx test-models/src/draw-papers.ts`.
 * Plain colours, so that the files are small.
 */
import sharp from 'sharp';
import { drawText, type Fonts, loadFonts } from './draw-text.ts';
import { picturePath } from './sign.ts';

/** Enough for plain colours and the edges of letters. */
const COLOURS = 64;
const INK = '#2a2d34';

/** A sheet of paper: its upper left corner in the picture, and its direction in degrees, positive downhill. */
interface Sheet {
  readonly x: number;
  readonly y: number;
  readonly angle: number;
  readonly width: number;
  readonly height: number;
  readonly colour: string;
  readonly rows: readonly Row[];
}

/** Text on a sheet, in the sheet's own pixels; y is the baseline. */
interface Row {
  readonly text: string;
  readonly font: 'sans' | 'serif';
  readonly size: number;
  readonly x: number;
  readonly y: number;
  readonly colour?: string;
}

const PAPERS: readonly Sheet[] = [
  {
    ...{ x: 42, y: 84, angle: -7, width: 280, height: 448, colour: '#fbfaf5' },
    rows: [
      { text: 'Corner Grocery', font: 'serif', size: 30, x: 23, y: 54 },
      { text: '14 Mill Lane', font: 'sans', size: 20, x: 88, y: 86 },
      ...prices([
        ['Oat bread', '3.20'],
        ['Apples 1 kg', '2.85'],
        ['Goat cheese', '6.40'],
        ['Olive oil', '9.90'],
        ['Tomatoes', '2.15'],
      ]),
      { text: 'Total', font: 'sans', size: 28, x: 24, y: 360 },
      { text: '24.50', font: 'sans', size: 28, x: 180, y: 360 },
      { text: 'Thank you, come again', font: 'serif', size: 21, x: 30, y: 414 },
    ],
  },
  {
    ...{ x: 372, y: 44, angle: 18, width: 232, height: 130, colour: '#f2c66d' },
    rows: [
      { text: 'FRAGILE', font: 'sans', size: 40, x: 42, y: 52, colour: '#a4261d' },
      { text: 'this side up', font: 'sans', size: 25, x: 50, y: 86 },
      { text: 'handle with care', font: 'serif', size: 22, x: 36, y: 116 },
    ],
  },
  {
    ...{ x: 356, y: 396, angle: -31, width: 216, height: 92, colour: '#cfe3dc' },
    rows: [
      { text: 'Train to the coast', font: 'serif', size: 22, x: 18, y: 38 },
      { text: 'Platform 6, 09:42', font: 'sans', size: 23, x: 18, y: 74 },
    ],
  },
  {
    ...{ x: 620, y: 260, angle: 90, width: 184, height: 52, colour: '#dfe5f1' },
    rows: [{ text: 'LIBRARY', font: 'sans', size: 38, x: 22, y: 39 }],
  },
];

const TABLE = `
  <defs><linearGradient id="table" x1="0" y1="0" x2="0" y2="1">
    <stop offset="0" stop-color="#8a6748"/><stop offset="1" stop-color="#6f5038"/>
  </linearGradient></defs>
  <rect width="640" height="576" fill="url(#table)"/>
  <path d="M0 96H640M0 240H640M0 384H640M0 500H640" stroke="#4f3826" stroke-opacity="0.5" stroke-width="2"/>`;

const LINE: Sheet = {
  ...{ x: 372, y: 90, angle: 180, width: 360, height: 84, colour: '#f4efe2' },
  rows: [{ text: 'Lantern Festival', font: 'sans', size: 46, x: 22, y: 56, colour: '#1f3a5f' }],
};

/** Names and amounts, one below the other. */
function prices(items: readonly (readonly [name: string, amount: string])[]): Row[] {
  return items.flatMap(([name, amount], index): Row[] => {
    const place = { font: 'sans', size: 23, y: 136 + 40 * index } as const;
    return [
      { text: name, x: 24, ...place },
      { text: amount, x: 196, ...place },
    ];
  });
}

function drawSheet({ x, y, angle, width, height, colour, rows }: Sheet, fonts: Fonts): string {
  const texts = rows.map((row) => drawText({ colour: INK, angle: 0, flat: true, ...row }, fonts).path);
  return `<g transform="translate(${x + 4} ${y + 5}) rotate(${angle})">
    <rect width="${width}" height="${height}" fill="#000" fill-opacity="0.3"/></g>
    <g transform="translate(${x} ${y}) rotate(${angle})">
    <rect width="${width}" height="${height}" fill="${colour}"/>${texts.join('\n')}</g>`;
}

async function draw(name: 'receipt' | 'line', width: number, height: number, content: string): Promise<void> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`;
  const { size } = await sharp(Buffer.from(svg))
    .flatten()
    .png({ palette: true, colours: COLOURS, effort: 10, dither: 0 })
    .toFile(picturePath(name));
  console.log(`${picturePath(name)}: ${size} bytes`);
}

const fonts = await loadFonts();
await draw('receipt', 640, 576, TABLE + PAPERS.map((sheet) => drawSheet(sheet, fonts)).join('\n'));
await draw('line', 384, 96, `<rect width="384" height="96" fill="#d8cfba"/>${drawSheet(LINE, fonts)}`);
