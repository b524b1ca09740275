/** The page's script: reads the report the page carries, draws its charts and brings the table to life. */
import type { ProfileReport } from '@onegpu/onnx';
import {
  type Chart,
  createRowLink,
  layerChart,
  memoryChart,
  operatorChart,
  rooflineChart,
} from '../charts/index.ts';
import { liveTable } from './live-table.ts';

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element "${id}"`);
  return found;
}

const report = JSON.parse(byId('report').textContent ?? '') as ProfileReport;
const link = createRowLink();
let layers: Chart | undefined;
/** Pixels under the plot for what is not shown in it. */
const REMARKS = 48;

function drawLayers(): void {
  layers?.remove();
  const colorBy = (byId('color-by') as HTMLSelectElement).value === 'algorithm' ? 'algorithm' : 'operator';
  layers = layerChart(byId('layers'), report, { link, colorBy });
}

/** Where the roofline stands beside a stack of cards, it is about as tall as they are. */
function rooflineHeight(): { readonly height?: number } {
  const chart = byId('roofline');
  const stack = byId('operators').closest('.stack');
  if (stack === null || stack.getBoundingClientRect().left <= chart.getBoundingClientRect().left) return {};
  const room = stack.getBoundingClientRect().bottom - chart.getBoundingClientRect().top - REMARKS;
  return { height: Math.max(360, Math.min(680, Math.round(room))) };
}

drawLayers();
byId('color-by').addEventListener('change', drawLayers);
operatorChart(byId('operators'), report, { link });
rooflineChart(byId('roofline'), report, { link, ...rooflineHeight() });
memoryChart(byId('memory'), report, { link });
liveTable(report, link);
// Read by tests and by anyone who wonders how long the page took to open.
performance.mark('onegpu-drawn');
