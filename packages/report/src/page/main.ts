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

function drawLayers(): void {
  layers?.remove();
  const colorBy = (byId('color-by') as HTMLSelectElement).value === 'algorithm' ? 'algorithm' : 'operator';
  layers = layerChart(byId('layers'), report, { link, colorBy });
}

drawLayers();
byId('color-by').addEventListener('change', drawLayers);
rooflineChart(byId('roofline'), report, { link });
operatorChart(byId('operators'), report, { link });
memoryChart(byId('memory'), report, { link });
liveTable(report, link);
// Read by tests and by anyone who wonders how long the page took to open.
performance.mark('onegpu-drawn');
