/** Reports of a profile: one self-contained HTML page, and a trace for Perfetto and chrome://tracing. */
export { type ChromeTrace, chromeTrace, type TraceEvent } from './chrome-trace.ts';
export { type HtmlReportOptions, htmlReport } from './html-report.ts';
