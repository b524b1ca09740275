/**
 * Charts of a profile for any page: each draws into a container, follows its width and the page's colour scheme, and
 * shows details at the pointer. Charts that share a `RowLink` light the same rows.
 */
export type { Chart, ChartOptions } from './chart-frame.ts';
export { chartStyle } from './chart-style.css.ts';
export { type LayerChartOptions, layerChart } from './layer-chart.ts';
export { memoryChart } from './memory-chart.ts';
export { operatorChart } from './operator-chart.ts';
export type { ColorBy } from './palette.ts';
export { type RooflineChartOptions, rooflineChart } from './roofline-chart.ts';
export { createRowLink, type RowLink, type RowSet } from './row-link.ts';
