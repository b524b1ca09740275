/** The page as text: whole without a network, hostile names kept as text, light enough, honest where nothing was timed. */
import { describe, expect, it } from 'vitest';
import { fixtureReport, HOSTILE_NAME } from '../test/fixture-report.ts';
import { htmlReport } from './html-report.ts';

const report = fixtureReport();
const page = htmlReport(report, { title: `${HOSTILE_NAME}.onnx` });

describe('htmlReport', () => {
  it('weighs less than 1.5 MB for a network the size of ResNet-50', () => {
    expect(Buffer.byteLength(page)).toBeLessThan(1.5e6);
  });

  it('refers to nothing outside itself', () => {
    const markup = page.replace(/<script>[\s\S]*?<\/script>/g, '');
    expect(markup).not.toMatch(/(?:src|href)="(?!data:)|url\(|@import/);
    expect(page).toContain("default-src 'none'");
  });

  it('keeps names as text, whatever they hold', () => {
    expect(page.match(/<\/script>/g)).toHaveLength(2);
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('<!-- 層');
    const json = /<script type="application\/json" id="report">([\s\S]*?)<\/script>/.exec(page)?.[1] ?? '';
    expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(report)));
    const head = /<h1>([\s\S]*?)<\/h1>/.exec(page)?.[1] ?? '';
    expect(head).toContain('&lt;/script&gt;');
    expect(head).toContain('…');
  });

  it('has a line a row in its table, and says which rows the timestamps could not resolve', () => {
    expect(page.match(/<tr data-row=/g)).toHaveLength(report.rows.length);
    expect(page.match(/&lt; resolution/g)).toHaveLength(
      report.rows.filter((row) => row.belowResolution === true).length,
    );
  });

  it('carries the licences of the libraries inside it', () => {
    expect(page).toContain('plot: Copyright');
    expect(page).toContain('Permission to use, copy, modify');
  });

  it('shows totals that were measured and no others', () => {
    expect(page).toContain('Cost of a pass');
    const noisy = { ...report, totals: { ...report.totals, passMs: -3 } };
    expect(htmlReport(noisy, { title: 'x' })).toContain('≈ 0');
    const untimed = htmlReport(fixtureReport({ timed: false }), { title: 'x' });
    expect(untimed).not.toContain('Sum of the rows');
    expect(untimed).toContain('This adapter offers no timestamps.');
    expect(untimed).toContain('wait for the GPU');
  });

  it('takes a report without rows', () => {
    expect(htmlReport(fixtureReport({ rows: 0 }), { title: '' })).toContain('0 rows');
  });
});
